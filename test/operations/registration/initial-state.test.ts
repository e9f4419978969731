import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { SERVICE_FEATURE_LEVEL, SERVICE_VERSION } from '../../../src/domain/version.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import type { Params } from '../../support/client.ts';
import { snapshot } from '../../support/initial-state.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('what is always there says which service this is', async () => {
  const server = await startServer({ env: { CONFAB_ALIAS_PREFIX: 'acme' } });
  const { queue_id, last_event_id, ...rest } = await snapshot(server, { fetch_event_types: [] });
  expect(rest).toEqual({
    result: 'success',
    msg: '',
    service_version: SERVICE_VERSION,
    service_feature_level: SERVICE_FEATURE_LEVEL,
    service_merge_base: SERVICE_VERSION,
    acme_version: SERVICE_VERSION,
    acme_feature_level: SERVICE_FEATURE_LEVEL,
    acme_merge_base: SERVICE_VERSION,
  });
});

test('6: the terminal client finds all that it reads, in the forms it knows', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.post(max, '/messages', { type: 'channel', to: 'general', topic: '', content: 'hi' });
  const state = await snapshot(server, {
    event_types: [
      'message',
      'update_message',
      'reaction',
      'submessage',
      'subscription',
      'typing',
      'update_message_flags',
      'user_settings',
      'realm_emoji',
      'realm_user',
    ],
    fetch_event_types: [
      'realm',
      'presence',
      'subscription',
      'message',
      'starred_messages',
      'update_message_flags',
      'muted_topics',
      'realm_user',
      'realm_user_groups',
      'user_settings',
      'realm_emoji',
      'custom_profile_fields',
    ],
    client_gravatar: true,
    apply_markdown: true,
    include_subscribers: true,
  });
  expect(state).toMatchObject({
    max_message_id: 1,
    muted_topics: [],
    starred_messages: [],
    presences: {},
    realm_emoji: {},
    custom_profile_fields: [],
    realm_name: 'test',
    realm_empty_topic_display_name: 'general chat',
    max_message_length: 10_000,
    max_stream_name_length: 60,
    unread_msgs: {
      count: 1,
      // It knows no empty topic.
      streams: [{ stream_id: 1, topic: 'general chat', unread_message_ids: [1] }],
    },
    subscriptions: [
      {
        name: 'general',
        subscribers: [1, 2, 3, 4, 5, 6, 7],
        // It knows no setting that is null.
        desktop_notifications: false,
        audible_notifications: false,
        push_notifications: false,
        email_notifications: false,
      },
    ],
    user_settings: {
      send_private_typing_notifications: true,
      twenty_four_hour_time: false,
      pm_content_in_desktop_notifications: true,
    },
  });
  const own = state['realm_users'].find((user: { user_id: number }) => user.user_id === mel.id);
  for (const key of [
    ...['is_bot', 'email', 'full_name', 'user_id', 'role', 'date_joined', 'timezone'],
    ...['profile_data', 'bot_type', 'bot_owner_id'],
  ]) {
    expect(own).toHaveProperty(key);
  }
  const owners = state['realm_user_groups'].find(
    (group: { name: string }) => group.name === 'role:owners',
  );
  expect(owners).toMatchObject({ is_system_group: true, members: [1], direct_subgroup_ids: [] });
  // A client that registers again names only events, and must still learn where it is.
  const again = await snapshot(server, { event_types: ['message'] });
  expect(again['max_message_id']).toBe(1);
});

test('the bounds that are told hold: what is as long is taken whole, what is longer is not', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const told = await snapshot(server, { fetch_event_types: ['realm'] });
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  const send = (params: Params) => server.post(mel, '/messages', { ...message, ...params });
  const make = (channel: Params) =>
    server.post(mel, '/users/me/subscriptions', { subscriptions: [channel] });

  const content = 'x'.repeat(told['max_message_length']);
  const { body } = await send({ content, topic: 'y'.repeat(told['max_topic_length']) });
  const sent = (await server.get(mel, `/messages/${body.id}`, { apply_markdown: false })).body;
  expect(sent.message).toMatchObject({ content, subject: 'y'.repeat(told['max_topic_length']) });
  expect((await send({ content: `${content}x` })).status).toBe(400);
  const longer = await send({ topic: 'y'.repeat(told['max_topic_length'] + 1) });
  const cut = (await server.get(mel, `/messages/${longer.body.id}`)).body.message.subject;
  expect(cut).toBe(`${'y'.repeat(told['max_topic_length'] - 3)}...`);

  const name = 'z'.repeat(told['max_stream_name_length']);
  const description = 'd'.repeat(told['max_stream_description_length']);
  expect((await make({ name, description })).status).toBe(200);
  expect((await make({ name: `${name}z` })).status).toBe(400);
  expect((await make({ name: 'short', description: `${description}d` })).status).toBe(400);
  const { subscriptions } = (await server.get(mel, '/users/me/subscriptions')).body;
  expect(subscriptions).toMatchObject([{ name: 'general' }, { name, description }]);
});

test('a client that knows null is told which notifications are not set, others what they come to', async () => {
  const server = await startServer({ channels: ['general'] });
  await changeUser(server, { enable_stream_push_notifications: true });
  const of = async (params: Params) => (await snapshot(server, params))['subscriptions'][0];
  const knows = { client_capabilities: { notification_settings_null: true } };
  expect(await of(knows)).toMatchObject({ push_notifications: null, email_notifications: null });
  for (const params of [{}, { client_capabilities: { notification_settings_null: false } }]) {
    expect(await of(params)).toMatchObject({
      push_notifications: true,
      email_notifications: false,
      // The specification says of this: "Never converted."
      wildcard_mentions_notify: null,
    });
  }
});

test('a client that knows user_settings is not given them a second time', async () => {
  const server = await startServer();
  await changeUser(server, { twenty_four_hour_time: true, enable_sounds: false });
  const modern = await snapshot(server, {
    client_capabilities: { notification_settings_null: true, user_settings_object: true },
  });
  expect(modern).not.toHaveProperty('twenty_four_hour_time');
  expect(modern).not.toHaveProperty('enable_sounds');
  expect(modern['user_settings']).toMatchObject({
    twenty_four_hour_time: true,
    enable_sounds: false,
  });
  const legacy = await snapshot(server, {});
  expect(legacy).toMatchObject({
    twenty_four_hour_time: true,
    enable_sounds: false,
    emojiset_choices: expect.any(Array),
    available_notification_sounds: expect.any(Array),
    user_settings: { twenty_four_hour_time: true },
  });
  const parts = await snapshot(server, { fetch_event_types: ['update_display_settings'] });
  expect(parts).toHaveProperty('twenty_four_hour_time');
  expect(parts).not.toHaveProperty('enable_sounds');
});

test('the empty topic is empty for clients that know it', async () => {
  const server = await startServer({ channels: ['general'] });
  const message = { type: 'channel', to: 'general', topic: '', content: 'hi' };
  await server.post(server.people.max, '/messages', message);
  const topic = async (params: Params) =>
    (await snapshot(server, params))['unread_msgs'].streams[0].topic;
  const knows = { notification_settings_null: true, empty_topic_name: true };
  expect(await topic({})).toBe('general chat');
  expect(await topic({ client_capabilities: knows })).toBe('');
});

test('who may not see everybody is given hidden users without a face, or not at all if the client bears that', async () => {
  const server = await startServer();
  await changeRealm(server);
  const { gus } = server.people;
  const placeholders = (await server.register(gus)).state.realm_users;
  expect(placeholders).toHaveLength(7);
  expect(placeholders[3]).toMatchObject({
    user_id: 4,
    full_name: 'Unknown user',
    email: 'user4@test.localhost',
    delivery_email: null,
    is_bot: false,
    role: 400,
  });
  expect(placeholders[5]).toMatchObject({ user_id: 6, full_name: 'Gus Guest' });
  const capabilities = { notification_settings_null: true, user_list_incomplete: true };
  const { state } = await server.register(gus, { client_capabilities: capabilities });
  expect(state.realm_users).toMatchObject([{ user_id: 6 }]);
  expect((await server.register(server.people.mel)).state.realm_users).toHaveLength(7);
});

test('somebody new is told to members, and not to guests who may not see everybody', async () => {
  const server = await startServer();
  await changeRealm(server);
  const types = { event_types: ['realm_user'] };
  const { mel, gus } = server.people;
  const [mels, guss] = await Promise.all([
    server.register(mel, types),
    server.register(gus, types),
  ]);
  const person = { realm: 'test', email: 'new@example.com', name: 'New Person' };
  await runCommand(server.app.realms, 'user create', person);
  expect(await mels.now()).toMatchObject([{ op: 'add', person: { full_name: 'New Person' } }]);
  // A client that lists everybody gets a placeholder.
  expect(await guss.now()).toMatchObject([{ op: 'add', person: { full_name: 'Unknown user' } }]);
});

test('channels that somebody may know of are in one of three lists', async () => {
  const server = await startServer({ channels: ['in', 'left'] });
  const { mel, mia, gus, ada } = server.people;
  const make = (name: string, params: Params = {}) =>
    server.post(mia, '/users/me/subscriptions', { subscriptions: [{ name }], ...params });
  await make('open');
  await make('closed', { invite_only: true });
  for (const person of [mel, gus, ada]) {
    await server.delete(person, '/users/me/subscriptions', { subscriptions: ['left'] });
  }
  const lists = async (params: Params, as = mel) => {
    const { state } = await server.register(as, { fetch_event_types: ['subscription'], ...params });
    return ['subscriptions', 'unsubscribed', 'never_subscribed'].map((list) =>
      state[list].map(({ name }: { name: string }) => name),
    );
  };
  expect(await lists({})).toEqual([['in'], ['left'], ['open']]);
  expect(await lists({}, gus)).toEqual([['in'], [], []]);
  expect(await lists({}, ada)).toEqual([['in'], ['left'], ['closed', 'open']]);
  expect(await lists({}, mia)).toEqual([['closed', 'in', 'left', 'open'], [], []]);
});

test.each(['true', 'partial', 'false'])(
  'with include_subscribers %s each list has subscribers accordingly',
  async (include) => {
    const server = await startServer({ channels: ['in', 'left'] });
    const { mel, mia } = server.people;
    await server.post(mia, '/users/me/subscriptions', { subscriptions: [{ name: 'open' }] });
    await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['left'] });
    const state = await snapshot(server, { include_subscribers: include });
    const subscribers = ['subscriptions', 'unsubscribed', 'never_subscribed'].map(
      (list) => state[list][0].subscribers,
    );
    expect(subscribers).toEqual(
      include === 'false'
        ? [undefined, undefined, undefined]
        : [[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 5, 6, 7], [3]],
    );
  },
);

const changeUser = (server: TestServer, settings: object) =>
  change(server, (tx) => {
    const row = tx.users.get([4]) ?? expect.fail('mel is there');
    tx.users.put([4], { ...row, settings });
  });

/** Guests see only whom they have to do with: 3 is the group of members. */
const changeRealm = (server: TestServer) =>
  change(server, (tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...row, settings: { can_access_all_users_group: 3 } });
  });

function change(server: TestServer, write: (tx: RealmTransaction) => void): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform(write);
}
