import { expect, test } from 'vitest';
import type { AuditOp } from '../../../src/domain/wire/audit.ts';
import type { AuditKind } from '../../../src/domain/wire/audit-kinds.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import type { Key } from '../../../storage/key.ts';
import { TABLES } from '../../../storage/schema.ts';
import type { Table } from '../../../storage/table.ts';
import { ACCESS_TO_MESSAGES } from '../../support/access/to-messages.ts';
import { ACCESS_TO_ORGANIZATION } from '../../support/access/to-organization.ts';
import { openWorld, type World } from '../../support/access/world.ts';
import type { Params } from '../../support/client.ts';
import { beginApp, codeAt, giveSecondStep, openDevice } from '../../support/people/second-steps.ts';
import { givePasswords, PASSWORD } from '../../support/people/session-browser.ts';

/**
 * Every endpoint that is no GET is in one of two tables: the acts that it leaves in the audit log,
 * or why it leaves none. The requests are those by which access is tested. A new endpoint needs an
 * entry, or the test fails.
 */
const REQUESTS = { ...ACCESS_TO_MESSAGES, ...ACCESS_TO_ORGANIZATION };

type Act = `${AuditKind} ${AuditOp}`;

interface Audited {
  readonly acts: readonly Act[];
  /** In place of the params by which access is tested, where those change nothing audited. */
  readonly params?: (world: World) => Params | Promise<Params>;
}

const acts = (...named: readonly Act[]): Audited => ({ acts: named });

const withSecondStep = async ({ server }: World): Promise<Params> => {
  await giveSecondStep(server, server.people.ona.id);
  await givePasswords(server, server.people.ona);
  return { password: PASSWORD };
};

const AUDITED: Readonly<Record<string, Audited>> = {
  'POST /users': acts('user add'),
  'PATCH /users/{user_id_or_email}': acts('user update'),
  'DELETE /users/{user_id_or_email}': acts('user update'),
  'POST /users/{user_id}/reactivate': acts('key remove', 'user update'),
  'PATCH /settings': { acts: ['user update'], params: () => ({ full_name: 'Ona Otherwise' }) },
  'PATCH /settings/display': { acts: ['user update'], params: () => ({ full_name: 'Ona Again' }) },
  'PATCH /settings/notifications': {
    acts: ['user update'],
    params: () => ({ allow_private_data_export: true }),
  },
  'POST /users/me/api_key/regenerate': acts('key remove', 'key add'),
  'DELETE /users/me/api_keys/{key_id}': acts('key remove'),
  'DELETE /sessions': acts('session remove'),
  'DELETE /sessions/{session_id}': acts('session remove'),
  'DELETE /users/{user_id}/second_step': acts('passkey remove', 'second_step remove'),
  'POST /users/me/second_step/app/confirm': {
    acts: ['second_step update'],
    params: async ({ server }) => {
      await givePasswords(server, server.people.ona);
      const secret = await beginApp(server, server.people.ona, PASSWORD);
      return { code: codeAt(secret, server.clock.now()) };
    },
  },
  'POST /users/me/second_step/recovery_codes': {
    acts: ['second_step update'],
    params: withSecondStep,
  },
  'DELETE /users/me/second_step/app': { acts: ['second_step update'], params: withSecondStep },
  'DELETE /users/me/passkeys/{passkey_id}': { acts: ['passkey remove'], params: withSecondStep },
  'POST /users/me/passkeys': {
    acts: ['passkey add'],
    params: async ({ server }) => {
      const { ona } = server.people;
      await giveSecondStep(server, ona.id);
      await givePasswords(server, ona);
      const begun = await server.post(ona, '/users/me/passkeys/options', { password: PASSWORD });
      const device = openDevice(`http://test.localhost:${server.app.port}`);
      return { name: 'My laptop', response: device.register(begun.body.options) };
    },
  },

  'POST /bots': acts('user add', 'key add'),
  'PATCH /bots/{bot_id}': acts('bot_defaults add'),
  'DELETE /bots/{bot_id}': acts('user update'),
  'GET /bots/{bot_id}/api_key': acts('key add'),
  'POST /bots/{bot_id}/api_key/regenerate': acts('key remove', 'key add'),
  'DELETE /bots/{bot_id}/api_keys/{key_id}': acts('key remove'),

  'POST /invites/multiuse': acts('invitation add'),
  'DELETE /invites/multiuse/{invite_id}': acts('invitation update'),
  'POST /invites': acts('invitation add'),
  'DELETE /invites/{invite_id}': acts('invitation update'),
  'POST /invites/{invite_id}/resend': {
    acts: ['invitation update'],
    // It changes when the invitation was sent.
    params: async ({ server }) => {
      await server.advance(2_000);
      return {};
    },
  },

  'PATCH /realm': acts('realm update'),
  'PATCH /realm/user_settings_defaults': acts('user_defaults update'),
  'POST /realm/deactivate': acts('realm update'),
  'POST /realm/domains': acts('domain add'),
  'PATCH /realm/domains/{domain}': acts('domain update'),
  'DELETE /realm/domains/{domain}': acts('domain remove'),
  'POST /realm/emoji/{emoji_name}': acts('emoji add'),
  'DELETE /realm/emoji/{emoji_name}': acts('emoji update'),
  'POST /realm/icon': acts('realm update'),
  'DELETE /realm/icon': acts('realm update'),
  'POST /realm/logo': acts('realm update'),
  'DELETE /realm/logo': acts('realm update'),
  'POST /realm/playgrounds': acts('playground add'),
  'DELETE /realm/playgrounds/{playground_id}': acts('playground remove'),
  'POST /realm/filters': acts('linkifier add'),
  'PATCH /realm/filters/{filter_id}': acts('linkifier update'),
  'DELETE /realm/filters/{filter_id}': acts('linkifier remove'),
  'PATCH /realm/linkifiers': {
    acts: ['linkifier update'],
    params: async (world) => {
      await world.linkifier();
      return { ordered_linkifier_ids: (await world.linkifierIds()).reverse() };
    },
  },
  'POST /realm/profile_fields': acts('profile_field add'),
  'PATCH /realm/profile_fields': {
    acts: ['profile_field update'],
    params: async (world) => {
      await world.field();
      return { order: (await world.fieldIds()).reverse() };
    },
  },
  'PATCH /realm/profile_fields/{field_id}': acts('profile_field update'),
  'DELETE /realm/profile_fields/{field_id}': acts('profile_field remove'),
  'POST /export/realm': acts('export add'),
  'DELETE /export/realm/{export_id}': acts('export update'),

  'POST /user_groups/create': acts('group add'),
  'PATCH /user_groups/{user_group_id}': acts('group update'),
  'POST /user_groups/{user_group_id}/deactivate': acts('group update'),
  'POST /user_groups/{user_group_id}/members': acts('group_member add'),
  'POST /user_groups/{user_group_id}/subgroups': acts('subgroup add'),

  'POST /channels/create': acts('channel add'),
  'PATCH /streams/{stream_id}': acts('channel update'),
  'DELETE /streams/{stream_id}': acts('channel update'),
  'DELETE /streams/{stream_id}/email_address': acts('channel_addresses remove'),
  'POST /default_streams': acts('channel update'),
  'DELETE /default_streams': acts('channel update'),
  'POST /channel_folders/create': acts('channel_folder add'),
  'PATCH /channel_folders': {
    acts: ['channel_folder update'],
    params: async (world) => {
      await world.folder();
      return { order: (await world.folderIds()).reverse() };
    },
  },
  'PATCH /channel_folders/{channel_folder_id}': acts('channel_folder update'),
  'POST /default_stream_groups/create': acts('default_channel_group add'),
  'PATCH /default_stream_groups/{group_id}': acts('default_channel_group update'),
  'DELETE /default_stream_groups/{group_id}': acts('default_channel_group remove'),
  'PATCH /default_stream_groups/{group_id}/streams': acts('default_channel_group update'),
  'POST /users/me/subscriptions': {
    acts: ['channel add', 'channel_member add'],
    params: (world) => ({ subscriptions: [{ name: world.fresh('secret') }], invite_only: true }),
  },
};

const MESSAGES = 'messages, which have a history of their own';
const OWN = 'something that only its owner has or sees';
const REFUSED = 'it is refused here: the service is not set up';
const SIGNAL = 'it changes nothing that is kept';
const WITHOUT_ACCOUNT = 'its request has no right credentials; tests of its own have';

/** Why an endpoint leaves nothing in the audit log. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  'POST /messages': MESSAGES,
  'POST /messages/flags': OWN,
  'POST /messages/flags/narrow': OWN,
  'PATCH /messages/{message_id}': MESSAGES,
  'DELETE /messages/{message_id}': MESSAGES,
  'POST /messages/{message_id}/reactions': MESSAGES,
  'DELETE /messages/{message_id}/reactions': MESSAGES,
  'POST /submessage': MESSAGES,
  'POST /messages/{message_id}/report': MESSAGES,
  'POST /messages/render': SIGNAL,
  'POST /messages/{message_id}/typing': SIGNAL,
  'POST /zcommand': SIGNAL,
  'POST /typing': SIGNAL,
  'POST /user_uploads': MESSAGES,
  'DELETE /attachments/{attachment_id}': MESSAGES,
  'POST /mark_all_as_read': OWN,
  'POST /mark_stream_as_read': OWN,
  'POST /mark_topic_as_read': OWN,
  'POST /scheduled_messages': OWN,
  'PATCH /scheduled_messages/{scheduled_message_id}': OWN,
  'DELETE /scheduled_messages/{scheduled_message_id}': OWN,
  'POST /drafts': OWN,
  'PATCH /drafts/{draft_id}': OWN,
  'DELETE /drafts/{draft_id}': OWN,
  'POST /saved_snippets': OWN,
  'PATCH /saved_snippets/{saved_snippet_id}': OWN,
  'DELETE /saved_snippets/{saved_snippet_id}': OWN,
  'POST /reminders': OWN,
  'DELETE /reminders/{reminder_id}': OWN,
  'POST /streams/{stream_id}/delete_topic': MESSAGES,
  'POST /user_topics': OWN,
  'PATCH /users/me/subscriptions/muted_topics': OWN,
  'DELETE /users/me/subscriptions': 'a public channel, which everybody may read',
  'PATCH /users/me/subscriptions': 'a public channel, which everybody may read',
  'POST /users/me/subscriptions/properties': OWN,
  'PATCH /users/me/subscriptions/{stream_id}': OWN,
  'POST /navigation_views': OWN,
  'PATCH /navigation_views/{fragment...}': OWN,
  'DELETE /navigation_views/{fragment...}': OWN,
  'POST /realm/test_welcome_bot_custom_message': MESSAGES,
  'PATCH /users/me/profile_data': 'what people say of themselves',
  'DELETE /users/me/profile_data': 'what people say of themselves',
  'POST /register': OWN,
  'DELETE /events': OWN,
  'PUT /bot_storage': OWN,
  'DELETE /bot_storage': OWN,
  'POST /users/me/alert_words': OWN,
  'DELETE /users/me/alert_words': OWN,
  'POST /users/me/onboarding_steps': OWN,
  'POST /users/me/muted_users/{muted_user_id}': OWN,
  'DELETE /users/me/muted_users/{muted_user_id}': OWN,
  'POST /users/me/avatar': 'what people say of themselves',
  'DELETE /users/me/avatar': 'what people say of themselves',
  'POST /users/me/presence': SIGNAL,
  'POST /users/{user_id}/status': 'what people say of themselves',
  'POST /users/me/status': 'what people say of themselves',
  'POST /mobile_push/register': REFUSED,
  'POST /mobile_push/e2ee/test_notification': REFUSED,
  'POST /mobile_push/test_notification': REFUSED,
  'POST /users/me/android_gcm_reg_id': OWN,
  'DELETE /users/me/android_gcm_reg_id': OWN,
  'POST /users/me/apns_device_token': OWN,
  'DELETE /users/me/apns_device_token': OWN,
  'POST /users/me/web_push': OWN,
  'DELETE /users/me/web_push': OWN,
  'DELETE /users/me/push_devices/{push_device_id}': OWN,
  'DELETE /users/me': 'it is refused here: the owner is the last one',
  'POST /external/{integration}': WITHOUT_ACCOUNT,
  'POST /fetch_api_key': WITHOUT_ACCOUNT,
  'POST /sessions': WITHOUT_ACCOUNT,
  'POST /sessions/demo': WITHOUT_ACCOUNT,
  'DELETE /sessions/current': WITHOUT_ACCOUNT,
  'POST /password_reset': REFUSED,
  'POST /users/me/second_step/app': 'an app counts once a code of it was given',
  'POST /users/me/passkeys/options': SIGNAL,
  'POST /sessions/passkey/options': WITHOUT_ACCOUNT,
  'POST /sessions/passkey': WITHOUT_ACCOUNT,
  'POST /dev_fetch_api_key': REFUSED,
  'POST /jwt/fetch_api_key': REFUSED,
  'POST /calls/zoom/create': REFUSED,
  'POST /calls/webex/create': REFUSED,
  'POST /calls/nextcloud_talk/create': REFUSED,
  'POST /calls/constructorgroups/create': REFUSED,
};

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

test('every endpoint that may change something is said to be audited or not, and why', () => {
  // A GET is safe, with one exception: it issues a key.
  const changing = ENDPOINTS.map(nameOf).filter(
    (name) => !name.startsWith('GET ') || AUDITED[name] !== undefined,
  );
  const said = [...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)];
  expect(said.sort()).toEqual(changing.sort());
});

test('an audited endpoint leaves its acts, by the account that asks; no other one leaves any', async () => {
  const world = await openWorld();
  const wrong: string[] = [];
  for (const endpoint of ENDPOINTS) {
    const name = nameOf(endpoint);
    const { request, after } = REQUESTS[name] ?? expect.fail(`${name} has no request`);
    const { acts: expected = [], params: own } = AUDITED[name] ?? {};
    const usual = await request(world, 'owner');
    const params = (await own?.(world)) ?? usual.params ?? {};
    const before = await lastAct(world);
    const asked = { path: usual.path ?? endpoint.path, params, file: usual.file };
    const { body } = await world.ask(endpoint, 'owner', asked);
    const left = await actsAfter(world, before);
    const by = world.server.people.ona.id;
    const found = [...new Set(left)].sort().join(', ');
    const wanted = expected
      .map((act) => `${act} by ${by}`)
      .sort()
      .join(', ');
    if (found !== wanted) {
      wrong.push(`${name} left ${found}, not ${wanted}: ${JSON.stringify(body).slice(0, 200)}`);
    }
    await after?.(world, 'owner');
    if (name === 'POST /realm/deactivate') await world.reactivate();
  }
  expect(wrong).toEqual([]);
  expect(world.server.bugs).toEqual([]);
});

const lastAct = ({ server }: World) => server.perform((tx) => tx.lastId('audit'));

const actsAfter = ({ server }: World, id: number) =>
  server.perform((tx) =>
    Array.from(
      tx.auditLog.range({ start: [id + 1] }),
      ([, { kind, op, actingUserId }]) => `${kind} ${op} by ${actingUserId}`,
    ),
  );

/** Columns that no act names: derived ones, and those that are nobody's decision. */
const NOT_RECORDED: Readonly<Record<string, readonly string[]>> = {
  scimTokens: ['createdAt'],
  // The account has the name and the address of them that count.
  scimIds: ['attributes'],
  realm: ['id', 'dateCreated', 'formerStringIds', 'firstStringId', 'newsVersion', 'formerIds'],
  users: ['id', 'dateJoined', 'timezone', 'avatarVersion', 'isSystem', 'uploadedAvatar'],
  apiKeys: ['createdAt', 'origin'],
  passkeys: ['publicKey', 'counter', 'transports', 'addedAt'],
  secondSteps: ['pendingApp', 'lastStep', 'failures', 'failedAt', 'yearFailures', 'yearFrom'],
  sessions: ['createdAt'],
  groups: ['id', 'dateCreated', 'creatorId'],
  channels: [
    'id',
    'recipientId',
    'renderedDescription',
    'dateCreated',
    'creatorId',
    'firstMessageId',
    'subscriberCount',
    'activeUntil',
    'weeklyTraffic',
  ],
  channelFolders: ['renderedDescription', 'dateCreated', 'creatorId'],
  exports: ['actingUserId', 'askedAt', 'attempts'],
  invitations: ['id', 'welcomeText', 'notifiesInviter', 'linkId'],
  linkifiers: ['id'],
  profileFields: ['id'],
  identities: ['linkedAt'],
  realmEmoji: ['id', 'authorId', 'fileName', 'stillFileName'],
};

/** A value that can be read as an object, and named by its beginning as hashes are. */
const HASH_OR_OBJECT = { slice: () => '' };

test('every column of an audited table is recorded, or it is said that it is not', () => {
  for (const [name, table] of Object.entries(TABLES)) {
    const { audited, columns } = table as unknown as Table<Key, object>;
    if (audited.length === 0) continue;
    const read = new Set<string>();
    const row = new Proxy(
      {},
      {
        get(_target, column) {
          read.add(String(column));
          return HASH_OR_OBJECT;
        },
      },
    );
    for (const one of audited) if ('values' in one) one.values(row, [1, 'a']);
    const said = [...read, ...(NOT_RECORDED[name] ?? [])];
    expect(said.sort(), name).toEqual([...columns].sort());
  }
});
