import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const MEMBERS = systemGroupId('role:members');
const MODERATORS = systemGroupId('role:moderators');
const ADMINISTRATORS = systemGroupId('role:administrators');
const NOBODY = systemGroupId('role:nobody');

const update = (server: TestServer, params: Params, as: PersonName = 'ona') =>
  server.patch(server.people[as], '/realm', params);

const stateOf = async ({ register, people }: TestServer) => (await register(people.gus)).state;

/** Every parameter that is no permission, with a value that is not the first one. */
const EVERYTHING = {
  name: 'Tea House',
  description: 'We *like* tea.',
  emails_restricted_to_domains: true,
  disallow_disposable_email_addresses: false,
  invite_required: false,
  require_unique_names: true,
  name_changes_disabled: true,
  email_changes_disabled: true,
  avatar_changes_disabled: true,
  inline_image_preview: false,
  inline_url_embed_preview: true,
  allow_message_editing: false,
  send_welcome_emails: false,
  message_content_allowed_in_email_notifications: false,
  enable_spectator_access: true,
  enable_read_receipts: true,
  enable_guest_user_indicator: false,
  enable_guest_user_dm_warning: false,
  require_e2ee_push_notifications: true,
  send_channel_events_messages: false,
  waiting_period_threshold: 3,
  video_chat_provider: 0,
  giphy_rating: 5,
  digest_weekday: 6,
  org_type: 1000,
  new_stream_announcements_stream_id: 1,
  signup_announcements_stream_id: 1,
  service_update_announcements_stream_id: 1,
  default_language: 'de',
  default_code_block_language: 'c++',
  message_content_delete_limit_seconds: 60,
  message_content_edit_limit_seconds: 60,
  move_messages_within_stream_limit_seconds: 60,
  move_messages_between_streams_limit_seconds: 60,
  message_retention_days: 30,
  topics_policy: 'disable_empty_topic',
  message_edit_history_visibility_policy: 'none',
  jitsi_server_url: 'https://video.example.com',
  welcome_message_custom_text: 'Have some **tea**.',
};

test('an owner changes every setting; the answer tells what has changed, and everyone hears of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm'] });
  const { body } = await update(server, EVERYTHING);
  const echoed = Object.entries(EVERYTHING).map(([name, value]) => [
    name,
    typeof value === 'string' ? 'updated' : value,
  ]);
  expect(body).toEqual({ ...ok, ...Object.fromEntries(echoed) });
  const events = await queue.now();
  const told = Object.fromEntries(
    events.flatMap(({ op, property, value, data }) =>
      Object.entries(op === 'update' ? { [property]: value } : (data as object)),
    ),
  );
  expect(told).toEqual({ ...EVERYTHING, mandatory_topics: true });
  expect(events).toHaveLength(Object.keys(EVERYTHING).length);
  const together = events.filter(({ op }) => op === 'update_dict').map(({ data }) => data);
  expect(together).toEqual([
    { allow_message_editing: false },
    { message_content_edit_limit_seconds: 60 },
    { topics_policy: 'disable_empty_topic', mandatory_topics: true },
  ]);
  const state = await stateOf(server);
  for (const [name, value] of Object.entries(EVERYTHING)) {
    expect(state[`realm_${name}`], name).toEqual(value);
  }
  // A setting that has this value already is neither sent nor answered.
  expect((await update(server, EVERYTHING)).body).toEqual(ok);
  expect(await queue.now()).toEqual([]);
});

test('4: a snapshot and the events of every setting give what a fresh register gives, for everybody', async () => {
  const server = await startServer({ channels: ['general'] });
  await expectExactAfter(server, async () => {
    expect((await update(server, EVERYTHING)).status).toBe(200);
    expect((await update(server, { digest_emails_enabled: true })).body).toEqual({
      ...ok,
      digest_emails_enabled: true,
    });
    const groups = {
      can_mention_many_users_group: { new: MODERATORS },
      can_create_public_channel_group: { new: ADMINISTRATORS },
      can_create_private_channel_group: { new: NOBODY },
      can_create_web_public_channel_group: { new: MODERATORS },
      can_invite_users_group: {
        new: { direct_members: [server.people.mel.id], direct_subgroups: [] },
      },
    };
    expect((await update(server, groups)).status).toBe(200);
    await update(server, { jitsi_server_url: 'default', topics_policy: 'allow_empty_topic' });
    await server.set('authentication_methods', { Email: false });
  });
});

test('no limit is said by a word, which is stored as none', async () => {
  const server = await startServer();
  const { body } = await update(server, {
    message_content_delete_limit_seconds: '"unlimited"',
    message_content_edit_limit_seconds: 'unlimited',
    move_messages_within_stream_limit_seconds: 2_147_483_647,
    message_retention_days: 36_500,
  });
  expect(body).toEqual({
    ...ok,
    message_content_delete_limit_seconds: null,
    message_content_edit_limit_seconds: null,
    move_messages_within_stream_limit_seconds: 2_147_483_647,
    message_retention_days: 36_500,
  });
  const { body: forever } = await update(server, { message_retention_days: 'unlimited' });
  expect(forever).toEqual({ ...ok, message_retention_days: -1 });
  expect(await stateOf(server)).toMatchObject({
    realm_message_content_delete_limit_seconds: null,
    realm_message_content_edit_limit_seconds: null,
    realm_message_retention_days: -1,
  });
});

test.each([
  ['https://one.example.com', 'https://one.example.com'],
  ['"https://two.example.com"', 'https://two.example.com'],
  ['default', null],
  ['"default"', null],
])('the URL of video calls may be quoted as JSON: %s', async (jitsi_server_url, stored) => {
  const server = await startServer();
  await update(server, { jitsi_server_url: 'https://video.example.com' });
  expect((await update(server, { jitsi_server_url })).body).toEqual({
    ...ok,
    jitsi_server_url: stored === null ? null : 'updated',
  });
  expect((await stateOf(server)).realm_jitsi_server_url).toBe(stored);
});

test('the topics policy may be named as it once was', async () => {
  const server = await startServer();
  const { body } = await update(server, { mandatory_topics: true }, 'ada');
  expect(body).toEqual({ ...ok, topics_policy: 'updated' });
  expect((await stateOf(server)).realm_topics_policy).toBe('disable_empty_topic');
  await update(server, { mandatory_topics: false });
  expect((await stateOf(server)).realm_topics_policy).toBe('allow_empty_topic');
  expect((await update(server, { mandatory_topics: true, topics_policy: 'x' })).body.msg).toMatch(
    /^Invalid topics_policy/,
  );
  const both = { mandatory_topics: true, topics_policy: 'allow_empty_topic' };
  expect(await update(server, both)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', parameters: 'topics_policy, mandatory_topics' },
  });
});

test('a permission is given to a group or to some people, if it is what the client takes it to be', async () => {
  const server = await startServer();
  const { ada, mel, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm'] });
  const some = { direct_members: [mel.id], direct_subgroups: [MODERATORS] };
  const { body } = await update(
    server,
    { can_mention_many_users_group: { new: some, old: ADMINISTRATORS } },
    'ada',
  );
  expect(body).toEqual({ ...ok, can_mention_many_users_group: some });
  const outdated = { can_mention_many_users_group: { new: MEMBERS, old: ADMINISTRATORS } };
  expect(await server.patch(ada, '/realm', outdated)).toMatchObject({
    status: 400,
    body: { code: 'EXPECTATION_MISMATCH' },
  });
  const back = { can_mention_many_users_group: { new: MEMBERS, old: some } };
  expect((await server.patch(ada, '/realm', back)).body).toEqual({
    ...ok,
    can_mention_many_users_group: MEMBERS,
  });
  const event = { id: expect.any(Number), type: 'realm', op: 'update_dict', property: 'default' };
  expect(await queue.now()).toEqual([
    { ...event, data: { can_mention_many_users_group: some } },
    { ...event, data: { can_mention_many_users_group: MEMBERS } },
  ]);
});

test.each([
  { can_access_all_users_group: { new: MEMBERS, old: systemGroupId('role:everyone') } },
  { waiting_period_threshold: 0 },
])('what follows from a setting follows: %j', async (params) => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await server.set('waiting_period_threshold', 5);
  await server.advance(86_400_000);
  const guest = await server.register(gus);
  const member = await server.register(mel, { event_types: ['user_group'] });
  expect((await update(server, params)).status).toBe(200);
  if ('can_access_all_users_group' in params) {
    // Guests register again, because the people whom they know have changed at once
    // (docs/decisions/0067).
    expect((await guest.poll({ dont_block: true })).body.code).toBe('BAD_EVENT_QUEUE_ID');
    return;
  }
  const full = systemGroupId('role:fullmembers');
  expect(await member.now()).toContainEqual(
    expect.objectContaining({ op: 'add_members', group_id: full }),
  );
});

test('channels hear of what becomes of them unless the organization wants no such messages', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  await server.patch(ada, '/streams/1', { description: 'one' });
  expect(await queue.now()).toHaveLength(1);
  await update(server, { send_channel_events_messages: false });
  await server.patch(ada, '/streams/1', { description: 'two' });
  expect(await queue.now()).toEqual([]);
});

test.each([
  { authentication_methods: { Email: true } },
  { message_retention_days: 30 },
  { invite_required: false },
  { can_invite_users_group: { new: NOBODY } },
  { create_multiuse_invite_group: { new: NOBODY } },
  { can_create_groups: { new: NOBODY } },
  { can_manage_all_groups: { new: ADMINISTRATORS } },
  { emails_restricted_to_domains: true },
  { disallow_disposable_email_addresses: false },
  { waiting_period_threshold: 3 },
])('is for owners alone: %j', async (params) => {
  const server = await startServer();
  expect(await update(server, params, 'ada')).toMatchObject({
    status: 400,
    body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' },
  });
  expect((await update(server, params)).status).toBe(200);
});

test.each<PersonName>(['mia', 'mel', 'gus', 'bot'])('%s may change nothing', async (as) => {
  const server = await startServer();
  expect(await update(server, { name: 'Mine' }, as)).toMatchObject({
    status: 400,
    body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
  });
});

test('texts are as long as the bound, by code points, and no longer', async () => {
  const server = await startServer();
  const longest = {
    name: '🍵'.repeat(40),
    description: '🍵'.repeat(1000),
    welcome_message_custom_text: '🍵'.repeat(8000),
    default_code_block_language: 'x'.repeat(40),
    jitsi_server_url: `https://example.com/${'x'.repeat(180)}`,
  };
  expect((await update(server, longest)).status).toBe(200);
  for (const [name, text] of Object.entries(longest)) {
    expect(await update(server, { [name]: `${text}x` })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(`^${name} is too long`) },
    });
  }
});

test.each<{ params: Params; msg: RegExp }>([
  { params: { name: ' ' }, msg: /^name cannot be blank/ },
  { params: { name: 'a\nb' }, msg: /^name has an invalid character/ },
  { params: { description: 'a\0b' }, msg: /^description has an invalid character/ },
  { params: { invite_required: 'yes' }, msg: /^invite_required is not a boolean/ },
  { params: { waiting_period_threshold: 'x' }, msg: /^waiting_period_threshold is not an integer/ },
  { params: { waiting_period_threshold: -1 }, msg: /^Invalid waiting_period_threshold/ },
  { params: { waiting_period_threshold: 36_501 }, msg: /^Invalid waiting_period_threshold/ },
  { params: { digest_weekday: 7 }, msg: /^Invalid digest_weekday/ },
  { params: { digest_weekday: -1 }, msg: /^Invalid digest_weekday/ },
  { params: { giphy_rating: 6 }, msg: /^Invalid giphy_rating/ },
  { params: { org_type: 1 }, msg: /^Invalid org_type/ },
  { params: { video_chat_provider: 2 }, msg: /^Invalid video_chat_provider/ },
  { params: { default_language: 'tlh' }, msg: /^Invalid default_language/ },
  { params: { default_code_block_language: 'two words' }, msg: /default_code_block_language/ },
  { params: { topics_policy: 'inherit' }, msg: /^Invalid topics_policy/ },
  { params: { message_edit_history_visibility_policy: 'some' }, msg: /^Invalid / },
  { params: { jitsi_server_url: 'video.example.com' }, msg: /^jitsi_server_url is not a URL/ },
  { params: { jitsi_server_url: 'ftp://example.com' }, msg: /^jitsi_server_url is not a URL/ },
  {
    params: { jitsi_server_url: '"https://example.com/\\ud800"' },
    msg: /^jitsi_server_url is not a URL/,
  },
  { params: { authentication_methods: [] }, msg: /^authentication_methods is not a dict/ },
  { params: { authentication_methods: { Email: 1 } }, msg: /is not a boolean/ },
  { params: { authentication_methods: { Email: false } }, msg: /^At least one/ },
  { params: { authentication_methods: {} }, msg: /^At least one/ },
  { params: { authentication_methods: { Sun: true } }, msg: /^Invalid authentication method: Sun/ },
  { params: { new_stream_announcements_stream_id: 0 }, msg: /^Invalid / },
  { params: { new_stream_announcements_stream_id: 99 }, msg: /^Invalid channel ID/ },
  { params: { signup_announcements_stream_id: 2 }, msg: /^Invalid channel ID/ },
  { params: { moderation_request_channel_id: 1 }, msg: /must be private/ },
  { params: { string_id: 'no name' }, msg: /cannot be the name of a realm/ },
  { params: { can_create_groups: NOBODY }, msg: /^can_create_groups is not a dict/ },
  { params: { can_manage_all_groups: { new: NOBODY } }, msg: /cannot be set to 'role:nobody'/ },
  { params: { can_create_groups: { new: 999 } }, msg: /^Invalid user group ID/ },
])('is refused: $params', async ({ params, msg }) => {
  const server = await startServer({ channels: ['general'] });
  // A private channel that the owner may not read.
  await server.post(server.people.mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'team' }],
    invite_only: true,
  });
  const before = await stateOf(server);
  expect(await update(server, params)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  const unchanged = await stateOf(server);
  expect({ ...unchanged, queue_id: '' }).toEqual({ ...before, queue_id: '' });
});

test.each([
  ['message_content_edit_limit_seconds', 0],
  ['message_content_delete_limit_seconds', -5],
  ['move_messages_within_stream_limit_seconds', 2_147_483_648],
  ['move_messages_between_streams_limit_seconds', 'soon'],
  ['message_retention_days', 36_501],
  ['message_retention_days', 'realm_default'],
])('a limit of no such size is refused by its name: %s %s', async (name, value) => {
  const server = await startServer();
  expect(await update(server, { [name]: value })).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_INVALID', var_name: name, bad_value: value },
  });
});

test('some permissions are given to system groups alone', async () => {
  const server = await startServer();
  const someone = { new: { direct_members: [1], direct_subgroups: [] } };
  expect(await update(server, { can_access_all_users_group: someone })).toMatchObject({
    status: 400,
    body: { code: 'SYSTEM_GROUP_REQUIRED', setting_name: 'can_access_all_users_group' },
  });
});

test('a private channel may be that of moderators, and none again', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  const subscriptions = [{ name: 'team' }];
  await server.post(mel, '/users/me/subscriptions', { subscriptions, invite_only: true });
  const named = await server.patch(ada, '/realm', { moderation_request_channel_id: 1 });
  expect(named.body).toEqual({ ...ok, moderation_request_channel_id: 1 });
  const none = await server.patch(ada, '/realm', { moderation_request_channel_id: -1 });
  expect(none.body).toEqual({ ...ok, moderation_request_channel_id: -1 });
});

test('what the command line sets is held against the same rules', async () => {
  const server = await startServer();
  const set = (setting: string, value: unknown) =>
    runCommand(server.app.realms, 'realm set', { realm: 'test', setting, value });
  await set('name', 'Tea House');
  expect((await stateOf(server)).realm_name).toBe('Tea House');
  for (const [setting, value] of [
    ['digest_weekday', 7],
    ['can_create_groups', 'everyone'],
    ['name', 5],
  ] as const) {
    await expect(set(setting, value)).rejects.toMatchObject({ code: 'REQUEST_VARIABLE_INVALID' });
  }
  await expect(set('nothing', 1)).rejects.toThrow("There is no setting 'nothing'");
});
