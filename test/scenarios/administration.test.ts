import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { ApiError } from '../../src/domain/errors.ts';
import { systemGroupId } from '../../src/domain/system-groups.ts';
import * as joining from '../../src/operations/joining.ts';
import { applyEvent, comparable, type Snapshot } from '../support/apply-event.ts';
import type { Params, Reply, TestQueue } from '../support/client.ts';
import { MODERN, withoutPast } from '../support/follow.ts';
import { png } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { uploadTo } from '../support/uploads.ts';
import { PEOPLE, type Person, type PersonName } from '../support/users.ts';

/**
 * Whoever runs an organization changes it at random: accounts, bots, groups, channels, settings, profile fields and
 * whatever else there is. People of every role listen, with clients of several ages, and each must arrive at what a fresh
 * register gives.
 */

const NAMES = [...PEOPLE.map(({ name }) => name), 'bot'] as const satisfies readonly PersonName[];

const CAPABILITIES = MODERN.client_capabilities;
type Capability = keyof typeof CAPABILITIES;
const without = (...names: readonly Capability[]) =>
  Object.fromEntries(
    Object.entries(CAPABILITIES).filter(([name]) => !names.includes(name as Capability)),
  );

/** How clients of several ages register. */
const FORMS: Readonly<Record<string, Params>> = {
  modern: { client_capabilities: CAPABILITIES, slim_presence: true },
  'without placeholders of people': { client_capabilities: without('include_deactivated_groups') },
  'with placeholders of people': { client_capabilities: without('user_list_incomplete') },
  'without archived channels': { client_capabilities: without('archived_channels') },
  'without an object of settings': { client_capabilities: without('user_settings_object') },
  'without url templates': { client_capabilities: without('linkifier_url_template') },
  'of old': { client_capabilities: { notification_settings_null: true } },
};

interface Given {
  readonly server: TestServer;
  readonly picture: Buffer;
}

type Act = (given: Given) => Promise<Reply | undefined>;

const ROLES = [100, 200, 300, 400, 600] as const;
const managers = fc.constantFrom('ona', 'ona', 'ona', 'ada', 'mia', 'mel');
const who = fc.constantFrom(...NAMES);
/** Seven are there from the start, and some come. */
const userId = fc.integer({ min: 1, max: 12 });
const newcomerId = fc.integer({ min: 8, max: 12 });
const channelId = fc.integer({ min: 1, max: 4 });
const channelName = fc.constantFrom('one', 'two', 'three', 'four');
const groupId = fc.constantFrom(101, 102);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.uniqueArray(arbitrary, { maxLength: 3 });
const systemGroup = fc.constantFrom(
  ...(
    [
      'role:nobody',
      'role:owners',
      'role:administrators',
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
    ] as const
  ).map(systemGroupId),
);
const setting = fc.oneof(
  systemGroup,
  groupId,
  fc.record({ direct_members: few(userId), direct_subgroups: few(fc.oneof(groupId, systemGroup)) }),
);
const change = maybe(setting.map((value) => ({ new: value })));

const realm = acts(
  'realm',
  {
    by: managers,
    name: maybe(fc.constantFrom('Tea House', 'Café')),
    waiting_period_threshold: maybe(fc.constantFrom(0, 3)),
    enable_spectator_access: maybe(fc.boolean()),
    topics_policy: maybe(fc.constantFrom('allow_empty_topic', 'disable_empty_topic')),
    message_edit_history_visibility_policy: maybe(fc.constantFrom('all', 'moves', 'none')),
    jitsi_server_url: maybe(fc.constantFrom('default', 'https://video.example.com')),
    new_stream_announcements_stream_id: maybe(fc.constantFrom(-1, 1, 2)),
    signup_announcements_stream_id: maybe(fc.constantFrom(-1, 1, 3)),
    moderation_request_channel_id: maybe(fc.constantFrom(-1, 3)),
    emails_restricted_to_domains: maybe(fc.boolean()),
    message_content_edit_limit_seconds: maybe(fc.constantFrom(60, 'unlimited')),
    default_language: maybe(fc.constantFrom('de', 'en')),
    send_channel_events_messages: maybe(fc.boolean()),
    enable_read_receipts: maybe(fc.boolean()),
  },
  ({ server, by, ...params }) => server.patch(server.people[by], '/realm', params),
);

const permission = acts(
  'permission',
  {
    name: fc.constantFrom(
      'can_mention_many_users_group',
      'can_create_public_channel_group',
      'can_create_private_channel_group',
      'can_create_web_public_channel_group',
      'can_invite_users_group',
      'can_manage_all_groups',
      'can_create_bots_group',
      'can_add_custom_emoji_group',
      'can_move_messages_between_channels_group',
      'can_add_subscribers_group',
      'direct_message_permission_group',
    ),
    value: setting,
  },
  ({ server, name, value }) =>
    server.patch(server.people.ona, '/realm', { [name]: { new: value } }),
);

const defaults = acts(
  'defaults',
  {
    by: managers,
    twenty_four_hour_time: maybe(fc.boolean()),
    email_address_visibility: maybe(fc.integer({ min: 1, max: 5 })),
    default_language: maybe(fc.constantFrom('de', 'en')),
    enable_drafts_synchronization: maybe(fc.boolean()),
  },
  ({ server, by, ...params }) =>
    server.patch(server.people[by], '/realm/user_settings_defaults', params),
);

const person = acts(
  'person',
  {
    role: fc.constantFrom('administrator', 'moderator', 'member', 'guest'),
    number: fc.nat(1_000_000),
  },
  async ({ server, role, number }) => {
    const email = `new${number}@example.com`;
    await runCommand(server.app.realms, 'user create', {
      realm: 'test',
      email,
      name: 'New Person',
      role,
    });
    return undefined;
  },
);

/** Somebody who was invited, or made by an administrator: they join the default channels and are welcomed. */
const newcomer = acts('newcomer', { number: fc.nat(1_000_000) }, async ({ server, number }) => {
  const joiner = { fullName: 'New Comer', email: `comer${number}@tea.com`, passwordHash: '' };
  const joined = server.perform((tx, place) => void joining.enroll(tx, place, joiner));
  await joined.catch((error: unknown) => expect(error).toBeInstanceOf(ApiError));
  return undefined;
});

const account = acts(
  'account',
  {
    by: managers,
    id: fc.oneof(newcomerId, newcomerId, newcomerId, userId),
    full_name: maybe(fc.constantFrom('Zoe', 'Zed', 'Zoë')),
    role: maybe(fc.constantFrom(...ROLES)),
    new_email: maybe(fc.constantFrom('zoe@example.com', 'zed@example.com')),
    profile_data: maybe(
      fc.uniqueArray(
        fc.record({ id: fc.integer({ min: 1, max: 3 }), value: fc.constantFrom('', 'tea', null) }),
        { maxLength: 2, selector: ({ id }) => id },
      ),
    ),
  },
  ({ server, by, id, ...params }) => server.patch(server.people[by], `/users/${id}`, params),
);

const rename = acts(
  'rename',
  { who, full_name: fc.constantFrom('Nobody', 'Somebody', 'Mel Member') },
  ({ server, who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const visibility = acts(
  'visibility',
  { who, email_address_visibility: fc.integer({ min: 1, max: 5 }) },
  ({ server, who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const own = acts(
  'own',
  {
    who,
    timezone: maybe(fc.constantFrom('Europe/Paris', 'UTC')),
    presence_enabled: maybe(fc.boolean()),
    twenty_four_hour_time: maybe(fc.boolean()),
    enable_sounds: maybe(fc.boolean()),
    send_read_receipts: maybe(fc.boolean()),
  },
  ({ server, who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const activity = acts(
  'activity',
  { by: managers, id: fc.oneof(newcomerId, newcomerId, userId), isActive: fc.boolean() },
  ({ server, by, id, isActive }) =>
    isActive
      ? server.post(server.people[by], `/users/${id}/reactivate`)
      : server.delete(server.people[by], `/users/${id}`),
);

const status = acts(
  'status',
  { id: userId, status_text: fc.constantFrom('', 'busy'), away: maybe(fc.boolean()) },
  ({ server, id, ...params }) => server.post(server.people.ada, `/users/${id}/status`, params),
);

const bot = acts(
  'bot',
  {
    by: who,
    number: fc.nat(1_000_000),
    bot_type: fc.integer({ min: 1, max: 3 }),
    default_sending_stream: maybe(channelName),
    default_events_register_stream: maybe(channelName),
    default_all_public_streams: maybe(fc.boolean()),
  },
  ({ server, by, number, ...params }) =>
    server.post(server.people[by], '/bots', {
      full_name: `Bot ${number}`,
      short_name: `b${number}`,
      payload_url: params.bot_type === 3 ? '"https://bot.example.com/"' : undefined,
      ...params,
    }),
);

const changedBot = acts(
  'changed bot',
  {
    by: who,
    id: fc.integer({ min: 7, max: 12 }),
    full_name: maybe(fc.constantFrom('Robot', 'Rob')),
    role: maybe(fc.constantFrom(...ROLES)),
    bot_owner_id: maybe(userId),
    default_sending_stream: maybe(channelName),
    default_all_public_streams: maybe(fc.boolean()),
  },
  ({ server, by, id, ...params }) => server.patch(server.people[by], `/bots/${id}`, params),
);

const botKey = acts(
  'bot key',
  { by: who, id: fc.integer({ min: 8, max: 12 }) },
  ({ server, by, id }) => server.post(server.people[by], `/bots/${id}/api_key/regenerate`),
);

const field = acts(
  'field',
  {
    by: managers,
    field_type: fc.constantFrom(1, 2, 4, 5, 6, 8),
    name: fc.constantFrom('Tea', 'Cake', 'Hat'),
    required: maybe(fc.boolean()),
    editable_by_user: maybe(fc.boolean()),
    display_in_profile_summary: maybe(fc.boolean()),
  },
  ({ server, by, ...params }) => server.post(server.people[by], '/realm/profile_fields', params),
);

const options = ['a', 'b', 'c'].map((text, index) => [text, { text, order: `${index + 1}` }]);

const optionField = acts(
  'field of options',
  { id: maybe(fc.integer({ min: 1, max: 4 })), kept: fc.subarray(options, { minLength: 1 }) },
  ({ server, id, kept }) => {
    const field_data = Object.fromEntries(kept);
    const { ona } = server.people;
    return id === undefined
      ? server.post(ona, '/realm/profile_fields', { name: 'Opt', field_type: 3, field_data })
      : server.patch(ona, `/realm/profile_fields/${id}`, { field_data });
  },
);

const changedField = acts(
  'changed field',
  {
    id: fc.integer({ min: 1, max: 4 }),
    isOver: fc.constantFrom(false, false, true),
    name: maybe(fc.constantFrom('Tea', 'Cake', 'Hat')),
    hint: maybe(fc.constantFrom('', 'hm')),
    required: maybe(fc.boolean()),
    editable_by_user: maybe(fc.boolean()),
    display_in_profile_summary: maybe(fc.boolean()),
  },
  ({ server, id, isOver, ...params }) =>
    isOver
      ? server.delete(server.people.ona, `/realm/profile_fields/${id}`)
      : server.patch(server.people.ona, `/realm/profile_fields/${id}`, params),
);

const ordered = acts('ordered', { by: managers }, async ({ server, by }) => {
  const { custom_fields } = (await server.get(server.people.ona, '/realm/profile_fields')).body;
  const order = custom_fields.map(({ id }: { id: number }) => id).reverse();
  return server.patch(server.people[by], '/realm/profile_fields', { order });
});

const profile = acts(
  'profile',
  {
    by: who,
    id: fc.integer({ min: 1, max: 4 }),
    value: fc.constantFrom(
      'tea',
      '**tea**',
      'a',
      '2026-01-01',
      'https://tea.example.com',
      [4],
      null,
    ),
  },
  ({ server, by, id, value }) =>
    server.patch(server.people[by], '/users/me/profile_data', { data: [{ id, value }] }),
);

const channel = acts(
  'channel',
  {
    by: who,
    name: channelName,
    principals: maybe(fc.uniqueArray(userId, { minLength: 1, maxLength: 3 })),
    invite_only: maybe(fc.boolean()),
    is_web_public: maybe(fc.boolean()),
    folder_id: maybe(fc.constantFrom(1, 2)),
    is_default_stream: maybe(fc.boolean()),
    can_subscribe_group: maybe(setting),
    can_administer_channel_group: maybe(setting),
  },
  ({ server, by, name, ...params }) =>
    server.post(server.people[by], '/users/me/subscriptions', {
      subscriptions: [{ name, description: 'About *it*' }],
      authorization_errors_fatal: false,
      ...params,
    }),
);

const leave = acts(
  'leave',
  { by: who, name: channelName, id: maybe(userId) },
  ({ server, by, name, id }) =>
    server.delete(server.people[by], '/users/me/subscriptions', {
      subscriptions: [name],
      principals: id === undefined ? undefined : [id],
    }),
);

const changedChannel = acts(
  'changed channel',
  {
    by: managers,
    id: channelId,
    new_name: maybe(fc.constantFrom('one', 'Two', 'five', 'six')),
    description: maybe(fc.constantFrom('', 'For **all**')),
    is_private: maybe(fc.boolean()),
    is_web_public: maybe(fc.boolean()),
    history_public_to_subscribers: maybe(fc.boolean()),
    is_default_stream: maybe(fc.boolean()),
    folder_id: maybe(fc.constantFrom(null, 1, 2)),
    is_archived: maybe(fc.constant(false)),
    topics_policy: maybe(fc.constantFrom('inherit', 'allow_empty_topic')),
    can_administer_channel_group: change,
    can_subscribe_group: change,
    can_add_subscribers_group: change,
    can_send_message_group: change,
    can_remove_subscribers_group: change,
  },
  ({ server, by, id, ...params }) => server.patch(server.people[by], `/streams/${id}`, params),
);

const archive = acts('archive', { by: managers, id: channelId }, ({ server, by, id }) =>
  server.delete(server.people[by], `/streams/${id}`),
);

const defaultChannel = acts(
  'default channel',
  { by: managers, stream_id: channelId, isOver: fc.boolean() },
  ({ server, by, stream_id, isOver }) =>
    server[isOver ? 'delete' : 'post'](server.people[by], '/default_streams', { stream_id }),
);

const folder = acts(
  'folder',
  {
    by: managers,
    id: maybe(fc.integer({ min: 1, max: 3 })),
    name: maybe(fc.constantFrom('Work', 'Fun')),
    is_archived: maybe(fc.boolean()),
  },
  ({ server, by, id, ...params }) =>
    id === undefined
      ? server.post(server.people[by], '/channel_folders/create', { name: params.name ?? 'More' })
      : server.patch(server.people[by], `/channel_folders/${id}`, params),
);

const folders = acts('folders', { by: managers }, async ({ server, by }) => {
  const { ona } = server.people;
  const { channel_folders } = (
    await server.get(ona, '/channel_folders', { include_archived: true })
  ).body;
  const order = channel_folders.map(({ id }: { id: number }) => id).reverse();
  return server.patch(server.people[by], '/channel_folders', { order });
});

const defaultGroup = acts(
  'default group',
  {
    by: managers,
    id: maybe(fc.integer({ min: 1, max: 2 })),
    op: fc.constantFrom('add', 'remove'),
    stream_names: fc.uniqueArray(channelName, { minLength: 1, maxLength: 2 }),
  },
  ({ server, by, id, ...params }) =>
    id === undefined
      ? server.post(server.people[by], '/default_stream_groups/create', {
          group_name: params.stream_names.join(),
          stream_names: params.stream_names,
        })
      : server.patch(server.people[by], `/default_stream_groups/${id}/streams`, params),
);

const members = acts(
  'members',
  {
    by: managers,
    group: groupId,
    add: maybe(few(userId)),
    delete: maybe(few(userId)),
    add_subgroups: maybe(few(systemGroup)),
    delete_subgroups: maybe(few(systemGroup)),
  },
  ({ server, by, group, ...params }) =>
    server.post(server.people[by], `/user_groups/${group}/members`, params),
);

const member = acts(
  'member',
  { group: groupId, user: userId, op: fc.constantFrom('add', 'delete') },
  ({ server, group, user, op }) =>
    server.post(server.people.ona, `/user_groups/${group}/members`, { [op]: [user] }),
);

const group = acts(
  'group',
  {
    by: managers,
    group: groupId,
    name: maybe(fc.constantFrom('cooks', 'waiters', 'Cooks')),
    can_manage_group: change,
    can_mention_group: change,
    can_join_group: change,
    can_leave_group: change,
    deactivated: maybe(fc.constant(false)),
  },
  ({ server, by, group: id, ...params }) =>
    server.patch(server.people[by], `/user_groups/${id}`, params),
);

const endedGroup = acts('ended group', { by: managers, group: groupId }, (given) =>
  given.server.post(given.server.people[given.by], `/user_groups/${given.group}/deactivate`),
);

const emoji = acts(
  'emoji',
  { by: who, name: fc.constantFrom('tea', 'cake', 'smile'), isOver: fc.boolean() },
  ({ server, picture, by, name, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/emoji/${name}`)
      : uploadTo(server, server.people[by], `/realm/emoji/${name}`, {
          content: picture,
          filename: 'tea.png',
          contentType: 'image/png',
        }),
);

const linkifier = acts(
  'linkifier',
  { by: managers, number: fc.integer({ min: 1, max: 3 }), isOver: fc.boolean() },
  ({ server, by, number, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/filters/${number}`)
      : server.post(server.people[by], '/realm/filters', {
          pattern: `T${number}-(?P<id>[0-9]+)`,
          url_template: 'https://tea.example.com/{id}',
        }),
);

const playground = acts(
  'playground',
  { by: managers, number: fc.integer({ min: 1, max: 3 }), isOver: fc.boolean() },
  ({ server, by, number, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/playgrounds/${number}`)
      : server.post(server.people[by], '/realm/playgrounds', {
          name: `Play ${number}`,
          pygments_language: 'Python',
          url_template: 'https://tea.example.com/{code}',
        }),
);

const domain = acts(
  'domain',
  {
    by: managers,
    name: fc.constantFrom('tea.com', 'cake.com'),
    op: fc.integer({ min: 0, max: 2 }),
  },
  ({ server, by, name, op }) => {
    const as = server.people[by];
    if (op === 0) return server.delete(as, `/realm/domains/${name}`);
    if (op === 1) return server.patch(as, `/realm/domains/${name}`, { allow_subdomains: true });
    return server.post(as, '/realm/domains', { domain: name, allow_subdomains: false });
  },
);

const mute = acts('mute', { by: who, id: userId, isOver: fc.boolean() }, ({ server, ...given }) =>
  server[given.isOver ? 'delete' : 'post'](
    server.people[given.by],
    `/users/me/muted_users/${given.id}`,
  ),
);

const say = acts('say', { by: who, to: channelName }, ({ server, by, to }) =>
  server.post(server.people[by], '/messages', { type: 'channel', to, topic: 'tea', content: 'hi' }),
);

const tell = acts(
  'tell',
  { by: who, to: fc.uniqueArray(userId, { minLength: 1, maxLength: 2 }) },
  ({ server, by, to }) =>
    server.post(server.people[by], '/messages', { type: 'direct', to, content: 'psst' }),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: realm },
  { weight: 3, arbitrary: permission },
  { weight: 2, arbitrary: defaults },
  { weight: 3, arbitrary: person },
  { weight: 2, arbitrary: newcomer },
  { weight: 4, arbitrary: account },
  { weight: 2, arbitrary: rename },
  { weight: 3, arbitrary: visibility },
  { weight: 2, arbitrary: own },
  { weight: 5, arbitrary: activity },
  { weight: 2, arbitrary: status },
  { weight: 3, arbitrary: bot },
  { weight: 4, arbitrary: changedBot },
  { weight: 1, arbitrary: botKey },
  { weight: 2, arbitrary: field },
  { weight: 2, arbitrary: optionField },
  { weight: 3, arbitrary: changedField },
  { weight: 1, arbitrary: ordered },
  { weight: 3, arbitrary: profile },
  { weight: 4, arbitrary: channel },
  { weight: 3, arbitrary: leave },
  { weight: 6, arbitrary: changedChannel },
  { weight: 2, arbitrary: archive },
  { weight: 2, arbitrary: defaultChannel },
  { weight: 2, arbitrary: folder },
  { weight: 1, arbitrary: folders },
  { weight: 2, arbitrary: defaultGroup },
  { weight: 2, arbitrary: members },
  { weight: 3, arbitrary: member },
  { weight: 2, arbitrary: group },
  { weight: 1, arbitrary: endedGroup },
  { weight: 2, arbitrary: emoji },
  { weight: 1, arbitrary: linkifier },
  { weight: 1, arbitrary: playground },
  { weight: 1, arbitrary: domain },
  { weight: 2, arbitrary: mute },
  { weight: 2, arbitrary: say },
  { weight: 2, arbitrary: tell },
);

test('4: snapshots stay exact for everybody, however an organization is changed', async () => {
  const picture = await png(16, 16);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        hidesPeople: fc.boolean(),
        before: fc.array(act, { minLength: 5, maxLength: 15 }),
        after: fc.array(act, { minLength: 15, maxLength: 40 }),
      }),
      async ({ hidesPeople, before, after }) => {
        const server = await startServer({ channels: ['one'] });
        await prepare(server, { hidesPeople });
        for (const next of before) await take(next, { server, picture });
        const followed = await Promise.all(
          NAMES.flatMap((name) =>
            Object.keys(FORMS).map((form) => follow(server, server.people[name], form)),
          ),
        );
        for (const next of after) await take(next, { server, picture });
        // What an act set off in a commit of its own is over as well.
        await server.perform(() => undefined);
        for (const each of followed) if (each !== undefined) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: 4, endOnFailure: true },
  );
});

async function prepare(server: TestServer, { hidesPeople }: { hidesPeople: boolean }) {
  const { ona, mel, gus } = server.people;
  if (hidesPeople) await server.set('can_access_all_users_group', systemGroupId('role:members'));
  for (const name of ['cooks', 'waiters']) {
    await server.post(ona, '/user_groups/create', { name, description: '', members: [mel.id] });
  }
  await server.post(ona, '/channel_folders/create', { name: 'Work' });
  for (const [name, invite_only] of [
    ['two', false],
    ['three', true],
  ] as const) {
    await server.post(ona, '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: [ona.id, mel.id, gus.id],
      invite_only,
    });
  }
}

async function take(next: Act, given: Given) {
  const reply = await next(given);
  if (reply !== undefined)
    expect([200, 400, 401, 404], JSON.stringify(reply)).toContain(reply.status);
}

interface Followed {
  readonly queue: TestQueue;
  readonly state: Snapshot;
  readonly form: string;
}

const optionsOf = (form: string): Params => ({
  include_subscribers: 'true',
  client_gravatar: false,
  ...FORMS[form],
});

/** Nobody, where the account has been deactivated. */
async function follow(server: TestServer, as: Person, form: string): Promise<Followed | undefined> {
  const { status: code } = await server.get(as, '/users/me');
  if (code !== 200) return undefined;
  const queue = await server.register(as, optionsOf(form));
  return { queue, state: queue.state, form };
}

async function expectExact(server: TestServer, { queue, state, form }: Followed) {
  const { status: code, body } = await queue.poll({ dont_block: true });
  if (code !== 200) {
    // Who is not there any more, has another role, or is a guest who now sees others.
    expect(['UNAUTHORIZED', 'BAD_EVENT_QUEUE_ID']).toContain(body.code);
    return;
  }
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) applyEvent(state, event);
  }
  const fresh = await server.register(queue.as, optionsOf(form));
  const whose = `as ${queue.as.fullName} sees it, ${form}`;
  const seen = form === 'without archived channels' || form === 'of old' ? withoutPast : comparable;
  expect(seen(state), whose).toEqual(seen(fresh.state));
}

/** Something to do with random values, which a failure prints. */
function acts<Values extends object>(
  what: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  run: (given: Given & Values) => Promise<Reply | undefined>,
): fc.Arbitrary<Act> {
  return fc.record(values).map((chosen): Act => {
    const made: Act = (given) => run({ ...given, ...chosen } as Given & Values);
    return Object.assign(made, { [fc.toStringMethod]: () => `${what} ${JSON.stringify(chosen)}` });
  });
}
