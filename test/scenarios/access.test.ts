import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { type ErrorCode, STATUS_OF } from '../../src/domain/errors.ts';
import type { Endpoint } from '../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import type { Params, Reply } from '../support/client.ts';
import { png } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { type UploadedPart, upload, uploadTo } from '../support/uploads.ts';
import type { Person } from '../support/users.ts';

/**
 * Who may do what: a row for each endpoint, with a request that is well-formed and of which nothing but who asks decides.
 * A new endpoint needs a row, or the test fails: the request, made anew for each who asks, and what each gets.
 */
const ROLES = ['guest', 'member', 'moderator', 'administrator', 'owner'] as const;
type Role = (typeof ROLES)[number];
type Asker = 'nobody' | Role | 'stranger';
const ASKERS: readonly Asker[] = ['nobody', ...ROLES, 'stranger'];

/** `ok`, or the code of the refusal. */
type Outcome = 'ok' | ErrorCode;
type Outcomes = Readonly<Record<Asker, Outcome>>;

interface Request {
  /** When it is not that of the endpoint. */
  readonly path?: string;
  readonly params?: Params;
  /** In place of the params. */
  readonly file?: UploadedPart;
}

interface Row {
  /** Puts right what the request would change for those that come after it. */
  readonly after?: (world: World, asker: Asker) => Promise<unknown>;
  readonly outcomes: Outcomes;
  readonly request: (world: World, asker: Asker) => Request | Promise<Request>;
}

type Given = Params | Row['request'];

const row = (outcomes: Outcomes, given: Given): Row => ({
  outcomes,
  request: typeof given === 'function' ? (given as Row['request']) : () => ({ params: given }),
});

/** Those roles may; the other ones are refused with this. */
const only = (roles: readonly Role[], refusal: ErrorCode = 'BAD_REQUEST'): Outcomes => ({
  nobody: 'UNAUTHORIZED',
  stranger: 'UNAUTHORIZED',
  ...(Object.fromEntries(
    ROLES.map((role) => [role, roles.includes(role) ? 'ok' : refusal]),
  ) as Record<Role, Outcome>), // one entry per role, by construction
});

const everyone = only(ROLES);
const nonGuests = only(['member', 'moderator', 'administrator', 'owner']);
const administrators = only(['administrator', 'owner']);
const owners = only(['owner']);
/** A guest is not told that there is such a channel. */
const channelAdministrators: Outcomes = {
  ...only(['administrator', 'owner'], 'CANNOT_ADMINISTER_CHANNEL'),
  guest: 'BAD_REQUEST',
};
/** Roles are asked for by the code of their own. */
const administratorsByRole = only(['administrator', 'owner'], 'UNAUTHORIZED_PRINCIPAL');
const ownersByRole = only(['owner'], 'UNAUTHORIZED_PRINCIPAL');

const all = (outcome: Outcome): Outcomes =>
  Object.fromEntries(ASKERS.map((asker) => [asker, outcome])) as Outcomes; // one entry per asker

const RANGE = { anchor: 'newest', num_before: 5, num_after: 0 };
/** As long as a public key is. */
const KEY = Buffer.alloc(32, 7).toString('base64');
const DRAFT = { type: 'stream', to: [1], topic: 'tea', content: 'hello' };
const SNIPPET = { title: 'Hello', content: 'hello' };
const SMILE = { emoji_name: 'smile' };

const TABLE: Readonly<Record<string, Row>> = {
  // Messages of somebody else in a public channel to which everyone is subscribed.
  'POST /messages': row(everyone, { type: 'channel', to: 'general', topic: 'tea', content: 'hi' }),
  'GET /messages': row(everyone, RANGE),
  'GET /messages/{message_id}': row(everyone, ofMessage('')),
  'POST /messages/flags': row(everyone, async (world) => ({
    params: { messages: [await world.message()], op: 'add', flag: 'starred' },
  })),
  'GET /messages/matches_narrow': row(everyone, async (world) => ({
    params: { msg_ids: [await world.message()], narrow: [['channel', 'general']] },
  })),
  'POST /messages/flags/narrow': row(everyone, { ...RANGE, op: 'add', flag: 'read' }),
  // A message of one's own.
  'PATCH /messages/{message_id}': row(everyone, async (world, asker) => ({
    path: `/messages/${await world.message('tea', asker)}`,
    params: { content: 'changed' },
  })),
  'GET /messages/{message_id}/history': row(everyone, ofMessage('/history')),
  'DELETE /messages/{message_id}': row(administrators, ofMessage('')),
  'POST /messages/{message_id}/reactions': row(everyone, ofMessage('/reactions', SMILE)),
  'DELETE /messages/{message_id}/reactions': row(everyone, async (world, asker) => {
    const path = `/messages/${await world.message()}/reactions`;
    await world.as(asker, 'post', path, SMILE);
    return { path, params: SMILE };
  }),
  // A poll of one's own.
  'POST /submessage': row(everyone, async (world, asker) => ({
    params: {
      message_id: await world.message('tea', asker),
      msg_type: 'widget',
      content: { widget_type: 'poll', extra_data: { question: 'Tea?', options: [] } },
    },
  })),
  'POST /messages/{message_id}/report': row(
    everyone,
    ofMessage('/report', { report_type: 'spam' }),
  ),
  'POST /messages/render': row(everyone, { content: '**hi**' }),
  'GET /messages/{message_id}/read_receipts': row(everyone, ofMessage('/read_receipts')),
  // A message of one's own.
  'POST /messages/{message_id}/typing': row(everyone, async (world, asker) => ({
    path: `/messages/${await world.message('tea', asker)}/typing`,
    params: { op: 'start' },
  })),
  'POST /zcommand': row(everyone, { command: '/ping' }),
  'POST /typing': row(everyone, { op: 'start', type: 'stream', stream_id: 1, topic: 'tea' }),

  'POST /user_uploads': row(everyone, () => ({ file: { content: 'hello' } })),
  // A file of one's own.
  'GET /user_uploads/{realm_id}/{path...}': row(everyone, async (world, asker) => ({
    path: await world.file(asker),
  })),
  'GET /attachments': row(everyone, {}),
  'DELETE /attachments/{attachment_id}': row(everyone, async (world, asker) => ({
    path: `/attachments/${await world.attachment(asker)}`,
  })),

  'POST /mark_all_as_read': row(everyone, {}),
  'POST /mark_stream_as_read': row(everyone, { stream_id: 1 }),
  'POST /mark_topic_as_read': row(everyone, { stream_id: 1, topic_name: 'tea' }),

  'POST /scheduled_messages': row(everyone, (world) => ({ params: world.scheduledParams() })),
  'GET /scheduled_messages': row(everyone, {}),
  'PATCH /scheduled_messages/{scheduled_message_id}': row(
    everyone,
    ofScheduled({ content: 'changed' }),
  ),
  'DELETE /scheduled_messages/{scheduled_message_id}': row(everyone, ofScheduled({})),

  'GET /drafts': row(everyone, {}),
  'POST /drafts': row(everyone, { drafts: [DRAFT] }),
  'PATCH /drafts/{draft_id}': row(everyone, ofDraft({ draft: DRAFT })),
  'DELETE /drafts/{draft_id}': row(everyone, ofDraft({})),
  'GET /saved_snippets': row(everyone, {}),
  'POST /saved_snippets': row(everyone, SNIPPET),
  'PATCH /saved_snippets/{saved_snippet_id}': row(everyone, ofSnippet({ title: 'changed' })),
  'DELETE /saved_snippets/{saved_snippet_id}': row(everyone, ofSnippet({})),

  'GET /reminders': row(everyone, {}),
  'POST /reminders': row(everyone, (world) =>
    world.reminderParams().then((params) => ({ params })),
  ),
  // A reminder of who asks.
  'DELETE /reminders/{reminder_id}': row(everyone, async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/reminders', await world.reminderParams());
    return { path: `/reminders/${body.reminder_id ?? 1}` };
  }),

  'GET /users/me/{stream_id}/topics': row(everyone, () => ({ path: '/users/me/1/topics' })),
  'POST /streams/{stream_id}/delete_topic': row(administratorsByRole, async (world) => {
    await world.message('old');
    return { path: '/streams/1/delete_topic', params: { topic_name: 'old' } };
  }),
  'POST /user_topics': row(everyone, { stream_id: 1, topic: 'tea', visibility_policy: 3 }),
  'PATCH /users/me/subscriptions/muted_topics': row(everyone, {
    stream_id: 1,
    topic: 'muted',
    op: 'add',
  }),

  'POST /users/me/subscriptions': row(nonGuests, { subscriptions: [{ name: 'random' }] }),
  'DELETE /users/me/subscriptions': row(everyone, { subscriptions: ['random'] }),
  'PATCH /users/me/subscriptions': row(nonGuests, { delete: ['random'] }),
  'GET /users/me/subscriptions': row(everyone, {}),
  'POST /users/me/subscriptions/properties': row(everyone, {
    subscription_data: [{ stream_id: 1, property: 'is_muted', value: false }],
  }),
  'PATCH /users/me/subscriptions/{stream_id}': row(everyone, () => ({
    path: '/users/me/subscriptions/1',
    params: { property: 'pin_to_top', value: true },
  })),
  'GET /users/{user_id}/subscriptions/{stream_id}': row(everyone, () => ({
    path: '/users/1/subscriptions/1',
  })),
  'GET /streams': row(everyone, {}),
  'GET /streams/{stream_id}': row(everyone, () => ({ path: '/streams/1' })),
  'GET /get_stream_id': row(everyone, { stream: 'general' }),
  'GET /streams/{stream_id}/members': row(everyone, () => ({ path: '/streams/1/members' })),
  'GET /streams/{stream_id}/email_address': row(everyone, () => ({
    path: '/streams/1/email_address',
  })),
  // Channels that the owner made, and that nobody else administers.
  'POST /channels/create': row(nonGuests, (world) => ({
    params: { name: world.fresh('channel'), subscribers: [] },
  })),
  'PATCH /streams/{stream_id}': row(channelAdministrators, ofChannel({ description: 'changed' })),
  'DELETE /streams/{stream_id}': row(channelAdministrators, ofChannel({})),
  'POST /default_streams': row(administratorsByRole, async (world) => ({
    params: { stream_id: await world.channel() },
  })),
  'DELETE /default_streams': row(administratorsByRole, async (world) => {
    const stream_id = await world.channel();
    await world.as('owner', 'post', '/default_streams', { stream_id });
    return { params: { stream_id } };
  }),

  'GET /channel_folders': row(everyone, {}),
  'POST /channel_folders/create': row(administratorsByRole, (world) => ({
    params: { name: world.fresh('Folder ') },
  })),
  'PATCH /channel_folders': row(administratorsByRole, async (world) => ({
    params: { order: await world.folderIds() },
  })),
  'PATCH /channel_folders/{channel_folder_id}': row(administratorsByRole, async (world) => ({
    path: `/channel_folders/${await world.folder()}`,
    params: { description: 'changed' },
  })),
  'POST /default_stream_groups/create': row(administratorsByRole, (world) => ({
    params: { group_name: world.fresh('Group '), stream_names: ['random'] },
  })),
  'PATCH /default_stream_groups/{group_id}': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}`,
    params: { new_description: 'changed' },
  })),
  'DELETE /default_stream_groups/{group_id}': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}`,
  })),
  'PATCH /default_stream_groups/{group_id}/streams': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}/streams`,
    params: { op: 'add', stream_names: ['random'] },
  })),

  'POST /invites/multiuse': row(administrators, {}),
  'GET /invites': row(nonGuests, {}),
  'DELETE /invites/multiuse/{invite_id}': row(administrators, async (world) => ({
    path: `/invites/multiuse/${await world.invitation()}`,
  })),

  'POST /invites': row(nonGuests, (world) => ({
    params: { invitee_emails: `${world.fresh('new')}@example.com`, stream_ids: [] },
  })),
  // An invitation of the owner, by mail.
  'DELETE /invites/{invite_id}': row(administrators, async (world) => ({
    path: `/invites/${await world.mailInvitation()}`,
  })),
  'POST /invites/{invite_id}/resend': row(administrators, async (world) => ({
    path: `/invites/${await world.mailInvitation()}/resend`,
  })),

  'GET /navigation_views': row(everyone, {}),
  'POST /navigation_views': row(everyone, { fragment: 'inbox', is_pinned: true }),
  'PATCH /navigation_views/{fragment...}': row(everyone, ofView({ is_pinned: false })),
  'DELETE /navigation_views/{fragment...}': row(everyone, ofView({})),

  'POST /realm/filters': row(administratorsByRole, (world) => ({
    params: world.linkifierParams(),
  })),
  'PATCH /realm/filters/{filter_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/filters/${await world.linkifier()}`,
    params: world.linkifierParams(),
  })),
  'DELETE /realm/filters/{filter_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/filters/${await world.linkifier()}`,
  })),
  'GET /realm/linkifiers': row(everyone, {}),
  'PATCH /realm/linkifiers': row(administratorsByRole, async (world) => ({
    params: { ordered_linkifier_ids: await world.linkifierIds() },
  })),

  'PATCH /realm': row(administratorsByRole, { description: 'changed' }),
  'PATCH /realm/user_settings_defaults': row(administratorsByRole, { enter_sends: true }),
  // Who comes after the owner finds it active again.
  'POST /realm/deactivate': row(ownersByRole, async (world, asker) => {
    if (asker === 'stranger') await world.reactivate();
    return {};
  }),
  'GET /realm/domains': row(everyone, {}),
  'POST /realm/domains': row(ownersByRole, (world) => ({
    params: { domain: `${world.fresh('d')}.example.com`, allow_subdomains: true },
  })),
  'PATCH /realm/domains/{domain}': row(ownersByRole, async (world) => ({
    path: `/realm/domains/${await world.domain()}`,
    params: { allow_subdomains: true },
  })),
  'DELETE /realm/domains/{domain}': row(ownersByRole, async (world) => ({
    path: `/realm/domains/${await world.domain()}`,
  })),
  'GET /realm/emoji': row(everyone, {}),
  'POST /realm/emoji/{emoji_name}': row(nonGuests, (world) => ({
    path: `/realm/emoji/${world.fresh('mog')}`,
    file: world.picture,
  })),
  // An emoji of the owner.
  'DELETE /realm/emoji/{emoji_name}': row(administrators, async (world) => ({
    path: `/realm/emoji/${await world.emoji()}`,
  })),
  'GET /realm/icon': row(everyone, {}),
  'POST /realm/icon': row(administratorsByRole, (world) => ({ file: world.picture })),
  'DELETE /realm/icon': row(administratorsByRole, {}),
  'GET /realm/logo': row(everyone, { night: true }),
  'POST /realm/logo': row(administratorsByRole, (world) => ({
    path: '/realm/logo?night=true',
    file: world.picture,
  })),
  'DELETE /realm/logo': row(administratorsByRole, { night: true }),
  'POST /realm/playgrounds': row(administratorsByRole, (world) => ({
    params: world.playgroundParams(),
  })),
  'DELETE /realm/playgrounds/{playground_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/playgrounds/${await world.playground()}`,
  })),
  'POST /export/realm': row(administrators, {}),
  'GET /export/realm': row(administrators, {}),
  'DELETE /export/realm/{export_id}': row(administrators, async (world) => ({
    path: `/export/realm/${await world.archive()}`,
  })),
  'GET /export/realm/consents': row(administrators, {}),
  'GET /realm/profile_fields': row(everyone, {}),
  'POST /realm/profile_fields': row(administratorsByRole, (world) => ({
    params: { name: world.fresh('Field '), field_type: 1 },
  })),
  'PATCH /realm/profile_fields': row(administratorsByRole, async (world) => ({
    params: { order: await world.fieldIds() },
  })),
  'PATCH /realm/profile_fields/{field_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/profile_fields/${await world.field()}`,
    params: { hint: 'changed' },
  })),
  'DELETE /realm/profile_fields/{field_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/profile_fields/${await world.field()}`,
  })),
  'PATCH /users/me/profile_data': row(everyone, async (world) => ({
    params: { data: [{ id: await world.field(), value: 'tea' }] },
  })),
  'DELETE /users/me/profile_data': row(everyone, async (world) => ({
    params: { data: [await world.field()] },
  })),

  // Groups that the owner made, and that nobody else manages.
  'POST /user_groups/create': row(nonGuests, (world) => ({
    params: { name: world.fresh('group'), description: '', members: [] },
  })),
  'PATCH /user_groups/{user_group_id}': row(owners, ofGroup('', { description: 'changed' })),
  'POST /user_groups/{user_group_id}/deactivate': row(owners, ofGroup('/deactivate')),
  'GET /user_groups': row(nonGuests, {}),
  'POST /user_groups/{user_group_id}/members': row(owners, (world, asker) =>
    ofGroup('/members', { add: [world.server.people.max.id] })(world, asker),
  ),
  'GET /user_groups/{user_group_id}/members': row(everyone, ofGroup('/members')),
  'GET /user_groups/{user_group_id}/members/{user_id}': row(everyone, ofGroup('/members/1')),
  'POST /user_groups/{user_group_id}/subgroups': row(owners, async (world, asker) =>
    ofGroup('/subgroups', { add: [await world.group()] })(world, asker),
  ),
  'GET /user_groups/{user_group_id}/subgroups': row(everyone, ofGroup('/subgroups')),

  'POST /register': row(everyone, { event_types: ['message'] }),
  'GET /events': row(everyone, async (world, asker) => {
    const { queue_id, last_event_id } = await world.queue(asker);
    return { params: { queue_id, last_event_id, dont_block: true } };
  }),
  'DELETE /events': row(everyone, async (world, asker) => ({
    params: { queue_id: (await world.queue(asker)).queue_id },
  })),

  'POST /bots': row(nonGuests, (world) => ({
    params: { full_name: world.fresh('Bot '), short_name: world.fresh('bot') },
  })),
  'GET /bots': row(everyone, {}),
  // The bot of the test realm, which is somebody else's.
  'PATCH /bots/{bot_id}': row(administrators, (world) => ({
    path: `/bots/${world.server.people.bot.id}`,
    params: { default_all_public_streams: true },
  })),
  'DELETE /bots/{bot_id}': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}`,
  })),
  'GET /bots/{bot_id}/api_key': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}/api_key`,
  })),
  'POST /bots/{bot_id}/api_key/regenerate': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}/api_key/regenerate`,
  })),
  'POST /users/me/api_key/regenerate': {
    outcomes: everyone,
    request: () => ({}),
    after: ({ server, keys }) =>
      server.perform((tx) => {
        for (const [userId, hash] of keys) {
          tx.apiKeys.put([userId, hash], { createdAt: 1, origin: 'issued' });
          tx.keyOwners.put([hash], { userId });
        }
      }),
  },
  'PUT /bot_storage': row(everyone, { storage: { cakes: '3' } }),
  'GET /bot_storage': row(everyone, {}),
  'DELETE /bot_storage': row(everyone, {}),

  'GET /users/me/alert_words': row(everyone, {}),
  'POST /users/me/alert_words': row(everyone, { alert_words: ['cake'] }),
  'DELETE /users/me/alert_words': row(everyone, { alert_words: ['cake'] }),
  'POST /users/me/onboarding_steps': row(everyone, {
    onboarding_step: 'intro_inbox_view_modal',
  }),
  'POST /users/me/muted_users/{muted_user_id}': row(everyone, ({ server }) => ({
    path: `/users/me/muted_users/${server.people.bot.id}`,
  })),
  'DELETE /users/me/muted_users/{muted_user_id}': row(everyone, ({ server }) => ({
    path: `/users/me/muted_users/${server.people.bot.id}`,
  })),

  'POST /users/me/avatar': row(everyone, (world) => ({ file: world.picture })),
  'DELETE /users/me/avatar': row(everyone, {}),

  'POST /users/me/presence': row(everyone, { status: 'active' }),
  'GET /users/{user_id_or_email}/presence': row(everyone, async (world) => {
    await world.as('owner', 'post', '/users/me/presence', { status: 'active' });
    return { path: '/users/1/presence' };
  }),
  'GET /realm/presence': row(everyone, {}),
  'POST /users/{user_id}/status': row(administrators, () => ({
    path: '/users/4/status',
    params: { status_text: 'on leave' },
  })),
  'GET /users/{user_id}/status': row(everyone, () => ({ path: '/users/4/status' })),
  'POST /users/me/status': row(everyone, { status_text: 'at lunch' }),
  'PATCH /settings': row(everyone, { twenty_four_hour_time: true }),
  'PATCH /settings/display': row(everyone, { twenty_four_hour_time: true }),
  'PATCH /settings/notifications': row(everyone, { enable_sounds: false }),
  'POST /mobile_push/register': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {
    token_kind: 'fcm',
    push_account_id: 1,
    push_public_key: KEY,
    bouncer_public_key: KEY,
    encrypted_push_registration: KEY,
  }),
  'POST /mobile_push/e2ee/test_notification': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {}),
  'POST /mobile_push/test_notification': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {}),
  'POST /users/me/android_gcm_reg_id': row(everyone, { token: 'fcm-token' }),
  'DELETE /users/me/android_gcm_reg_id': row(everyone, { token: 'fcm-token' }),
  'POST /users/me/apns_device_token': row(everyone, { token: 'c0ffee', appid: 'org.example' }),
  'DELETE /users/me/apns_device_token': row(everyone, { token: 'c0ffee' }),

  'GET /users/me': row(everyone, {}),
  'GET /users': row(everyone, {}),
  'GET /users/{user_id_or_email}': row(everyone, () => ({ path: '/users/1' })),
  'POST /users': row(administrators, (world) => ({
    params: {
      email: `${world.fresh('new')}@example.com`,
      password: 'correct horse',
      full_name: 'Nia New',
    },
  })),
  // Of somebody else, who is a member.
  'PATCH /users/{user_id_or_email}': row(administrators, async (world) => ({
    path: `/users/${await world.account()}`,
    params: { full_name: 'Nia New', role: 600 },
  })),
  'DELETE /users/{user_id_or_email}': row(administrators, async (world) => ({
    path: `/users/${await world.account()}`,
  })),
  'DELETE /users/me': {
    outcomes: { ...everyone, owner: 'CANNOT_DEACTIVATE_LAST_USER' },
    request: () => ({}),
    after: ({ server, people }, asker) =>
      server.post(server.people.ona, `/users/${people[asker]?.id ?? 1}/reactivate`),
  },
  'POST /users/{user_id}/reactivate': row(administrators, async ({ server, account }) => {
    const id = await account();
    need(await server.delete(server.people.ona, `/users/${id}`));
    return { path: `/users/${id}/reactivate` };
  }),

  'GET /server_settings': row(all('ok'), {}),
  // Names that fail too often have to wait, so each asks by one of its own.
  // By the key in the URL alone; people are to give theirs to no other service. Bots: receive-webhook.test.ts.
  'POST /external/{integration}': row(
    { ...only([]), nobody: 'INVALID_API_KEY', stranger: 'INVALID_API_KEY' },
    (world, asker) => ({
      path: '/external/json',
      params: { api_key: world.people[asker]?.apiKey ?? 'nobody', payload: '1' },
    }),
  ),
  'POST /fetch_api_key': row(all('AUTHENTICATION_FAILED'), (world) => ({
    params: { username: `${world.fresh('name')}@example.com`, password: 'wrong' },
  })),
  'POST /dev_fetch_api_key': row(all('BAD_REQUEST'), { username: 'mel@example.com' }),
  'GET /dev_list_users': row(all('BAD_REQUEST'), {}),
  'GET /openapi.json': row(all('ok'), {}),
};

test('every endpoint has a row', () => {
  expect(Object.keys(TABLE).sort()).toEqual(ENDPOINTS.map(nameOf).sort());
});

test('everyone may do what the table says, and nothing else', async () => {
  const world = await openWorld();
  for (const endpoint of ENDPOINTS) {
    const known = TABLE[nameOf(endpoint)];
    // The test before this one says so.
    if (known === undefined) continue;
    const { request, outcomes, after } = known;
    for (const asker of ASKERS) {
      const { path = endpoint.path, params = {}, file } = await request(world, asker);
      const reply = await world.ask(endpoint, asker, { path, params, file });
      const what = `${nameOf(endpoint)} by ${asker}: ${JSON.stringify(reply.body).slice(0, 500)}`;
      expect(outcomeOf(reply), what).toBe(outcomes[asker]);
      await after?.(world, asker);
    }
  }
  expect(world.server.bugs).toEqual([]);
});

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

function outcomeOf({ status, body }: Reply): string {
  if (status === 200) return 'ok';
  const code = body.code as ErrorCode;
  return STATUS_OF[code] === status ? code : `${status} ${code}`;
}

function ofMessage(rest: string, params: Params = {}): Row['request'] {
  return async (world) => ({ path: `/messages/${await world.message()}${rest}`, params });
}

function ofGroup(rest: string, params: Params = {}): Row['request'] {
  return async (world) => ({ path: `/user_groups/${await world.group()}${rest}`, params });
}

function ofChannel(params: Params): Row['request'] {
  return async (world) => ({ path: `/streams/${await world.channel()}`, params });
}

/** A message that who asks has scheduled. */
function ofScheduled(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/scheduled_messages', world.scheduledParams());
    return { path: `/scheduled_messages/${body.scheduled_message_id ?? 1}`, params };
  };
}

/** A draft of who asks. */
function ofDraft(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/drafts', { drafts: [DRAFT] });
    return { path: `/drafts/${body.ids?.[0] ?? 1}`, params };
  };
}

function ofSnippet(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/saved_snippets', SNIPPET);
    return { path: `/saved_snippets/${body.saved_snippet_id ?? 1}`, params };
  };
}

/** A view of who asks. */
function ofView(params: Params): Row['request'] {
  return async (world, asker) => {
    const fragment = world.fresh('narrow/topic/');
    const view = { fragment, is_pinned: true, name: world.fresh('View ') };
    await world.as(asker, 'post', '/navigation_views', view);
    return { path: `/navigation_views/${fragment}`, params };
  };
}

interface Asking {
  readonly path: string;
  readonly params: Params;
  readonly file: UploadedPart | undefined;
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** A realm, and what the requests need in it, made anew for each. */
async function openWorld() {
  const server = await startServer({ channels: ['general', 'random', 'reports'] });
  const stranger = (await server.addRealm('acme')).admin;
  const { gus, mel, max, mia, ada, ona } = server.people;
  await server.set('moderation_request_channel_id', 3);
  await server.set('enable_read_receipts', true);
  const people: Readonly<Record<Asker, Person | null>> = {
    nobody: null,
    guest: gus,
    member: mel,
    moderator: mia,
    administrator: ada,
    owner: ona,
    stranger,
  };
  let count = 0;
  const fresh = (name: string) => {
    count += 1;
    return `${name}${count}`;
  };
  const linkifierParams = () => ({
    pattern: `${fresh('T')}-(?P<id>[0-9]+)`,
    url_template: 'https://example.com/{id}',
  });
  const picture = { content: await png(8, 8), filename: 'x.png' };
  const playgroundParams = () => ({
    name: fresh('Playground '),
    pygments_language: 'Rust',
    url_template: 'https://example.com/{code}',
  });
  const ids = async (path: string, params: Params): Promise<number> =>
    need(await server.post(ona, path, params)).id;
  const message = async (topic = 'tea', by?: Asker): Promise<number> => {
    const given = { type: 'channel', to: 'general', topic, content: fresh('hello') };
    const sender = by === undefined || by === 'stranger' ? max : (people[by] ?? max);
    return need(await server.post(sender, '/messages', given)).id;
  };
  const inAnHour = () => Math.floor(server.clock.now() / 1000) + 3_600;
  const keys = await server.perform((tx) => [...tx.apiKeys.keys({})]);
  return {
    server,
    people,
    /** Of everyone at the beginning. */
    keys,
    fresh,
    /** A member who asks for nothing. */
    account: async (): Promise<number> => {
      const email = `${fresh('account')}@example.com`;
      const made = await runCommand(server.app.realms, 'user create', {
        realm: 'test',
        email,
        name: 'Some Body',
      });
      return (made[0] as { user_id: number }).user_id;
    },
    /** The owner's. */
    bot: async (): Promise<number> => {
      const bot = { full_name: fresh('Bot '), short_name: fresh('bot') };
      return need(await server.post(ona, '/bots', bot)).user_id;
    },
    linkifierParams,
    playgroundParams,
    picture,
    reactivate: () => runCommand(server.app.realms, 'realm reactivate', { realm: 'test' }),
    emoji: async (): Promise<string> => {
      const name = fresh('mog');
      need(await uploadTo(server, ona, `/realm/emoji/${name}`, picture));
      return name;
    },
    /** One that is there already: none is written while nobody moves the clock. */
    archive: () =>
      server.perform((tx) => {
        const id = tx.nextId('export');
        const archive = { folder: 'ab', file: `cdefghijkl${id}` };
        const row = { actingUserId: ona.id, type: 1, askedAt: 0, attempts: 1, archive } as const;
        tx.exports.put([id], { ...row, failedAt: null, deletedAt: null });
        return id;
      }),
    playground: () => ids('/realm/playgrounds', playgroundParams()),
    domain: async (): Promise<string> => {
      const domain = `${fresh('d')}.example.com`;
      need(await server.post(ona, '/realm/domains', { domain, allow_subdomains: false }));
      return domain;
    },
    message,
    reminderParams: async (): Promise<Params> => ({
      message_id: await message(),
      scheduled_delivery_timestamp: inAnHour(),
    }),
    ask: (endpoint: Endpoint, asker: Asker, { path, params, file }: Asking) =>
      file === undefined
        ? askBy(server, people[asker], { method: endpoint.method, path, params })
        : uploadTo(server, people[asker], path, file),
    /** What somebody who may does beforehand; the others cannot. */
    as: (asker: Asker, method: 'post', path: string, params: Params) =>
      server[method](people[asker], path, params),
    attachment: async (asker: Asker): Promise<number> => {
      const owner = asker === 'stranger' ? ona : (people[asker] ?? ona);
      need(await upload(server, owner, { content: 'hello' }));
      return need(await server.get(owner, '/attachments')).attachments[0].id;
    },
    file: async (asker: Asker): Promise<string> =>
      need(
        await upload(server, asker === 'stranger' ? ona : (people[asker] ?? ona), { content: '' }),
      ).url,
    scheduledParams: (): Params => ({
      type: 'channel',
      to: 1,
      topic: 'later',
      content: fresh('hello'),
      scheduled_delivery_timestamp: inAnHour(),
    }),
    folder: async (): Promise<number> =>
      need(await server.post(ona, '/channel_folders/create', { name: fresh('Folder ') }))
        .channel_folder_id,
    folderIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/channel_folders')).channel_folders.map(
        ({ id }: { id: number }) => id,
      ),
    defaultGroup: async (): Promise<number> => {
      const name = fresh('Group ');
      const made = { group_name: name, stream_names: [] };
      need(await server.post(ona, '/default_stream_groups/create', made));
      const types = { fetch_event_types: ['default_stream_groups'] };
      const { realm_default_stream_groups: groups } = (await server.register(ona, types)).state;
      return groups.find((group: { name: string }) => group.name === name).id;
    },
    channel: () => ids('/channels/create', { name: fresh('channel'), subscribers: [ona.id] }),
    field: () => ids('/realm/profile_fields', { name: fresh('Field '), field_type: 1 }),
    fieldIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/realm/profile_fields')).custom_fields.map(
        ({ id }: { id: number }) => id,
      ),
    mailInvitation: async (): Promise<number> => {
      const invitation = { invitee_emails: `${fresh('new')}@example.com`, stream_ids: [] };
      need(await server.post(ona, '/invites', invitation));
      const { invites } = need(await server.get(ona, '/invites'));
      return Math.max(
        ...invites
          .filter(({ is_multiuse }: { is_multiuse: boolean }) => !is_multiuse)
          .map(({ id }: { id: number }) => id),
      );
    },
    linkifier: () => ids('/realm/filters', linkifierParams()),
    linkifierIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/realm/linkifiers')).linkifiers.map(
        ({ id }: { id: number }) => id,
      ),
    group: async (): Promise<number> => {
      const group = { name: fresh('group'), description: '', members: [] };
      return need(await server.post(ona, '/user_groups/create', group)).group_id;
    },
    invitation: async (): Promise<number> => {
      need(await server.post(ona, '/invites/multiuse'));
      return need(await server.get(ona, '/invites')).invites.at(-1).id;
    },
    queue: async (asker: Asker): Promise<{ queue_id: string; last_event_id: number }> =>
      (await server.register(asker === 'stranger' ? mel : (people[asker] ?? mel))).state,
  };
}

function askBy(
  server: TestServer,
  person: Person | null,
  { method, path, params }: { method: string; path: string; params: Params },
): Promise<Reply> {
  if (method === 'GET') return server.get(person, path, params);
  if (method === 'DELETE') return server.delete(person, path, params);
  if (method === 'PUT') return server.put(person, path, params);
  return method === 'PATCH'
    ? server.patch(person, path, params)
    : server.post(person, path, params);
}

function need({ status, body }: Reply): Reply['body'] {
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}
