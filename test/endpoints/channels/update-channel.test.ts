import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const EVERYONE = systemGroupId('role:everyone');
const ADMINISTRATORS = systemGroupId('role:administrators');
const MEMBERS = systemGroupId('role:members');

const update = (server: TestServer, as: PersonName, params: Params, id = 1) =>
  server.patch(server.people[as], `/streams/${id}`, params);

/** Returns the events of a queue except messages, without ids. */
const changes = async (queue: TestQueue) =>
  (await queue.now()).filter(({ type }) => type !== 'message').map(({ id, ...event }) => event);

const notices = async (queue: TestQueue) =>
  (await queue.now())
    .filter(({ type }) => type === 'message')
    .map(({ message }) => [message.subject, message.content]);

const about = { type: 'stream', op: 'update', stream_id: 1, name: 'general' };

test.each<{ params: Params; events: readonly object[] }>([
  { params: { new_name: ' General ' }, events: [{ property: 'name', value: 'General' }] },
  { params: { description: 'For\n**all**' }, events: [{ property: 'description', value: 'For **all**', rendered_description: '<p>For <strong>all</strong></p>' }] },
  { params: { is_private: true }, events: [{ property: 'invite_only', value: true, history_public_to_subscribers: false, is_web_public: false }] },
  { params: { is_private: true, history_public_to_subscribers: true }, events: [{ property: 'invite_only', value: true, history_public_to_subscribers: true, is_web_public: false }] },
  { params: { is_web_public: true }, events: [{ property: 'invite_only', value: false, history_public_to_subscribers: true, is_web_public: true }] },
  { params: { message_retention_days: 7 }, events: [{ property: 'message_retention_days', value: 7 }] },
  { params: { message_retention_days: '"unlimited"' }, events: [{ property: 'message_retention_days', value: -1 }] },
  { params: { topics_policy: 'disable_empty_topic' }, events: [{ property: 'topics_policy', value: 'disable_empty_topic' }] },
  { params: { can_send_message_group: { new: ADMINISTRATORS, old: EVERYONE } }, events: [{ property: 'stream_post_policy', value: 2 }, { property: 'is_announcement_only', value: true }, { property: 'can_send_message_group', value: ADMINISTRATORS }] },
  { params: { can_subscribe_group: { new: { direct_members: [4], direct_subgroups: [] } } }, events: [{ property: 'can_subscribe_group', value: { direct_members: [4], direct_subgroups: [] } }] },
  { params: { can_delete_own_message_group: { new: MEMBERS } }, events: [{ property: 'can_delete_own_message_group', value: MEMBERS }] },
  { params: { folder_id: null, can_send_message_group: { new: EVERYONE } }, events: [] },
  { params: {}, events: [] },
])('4.2: $params is told to those who may know of the channel', async ({ params, events }) => {
  const server = await startServer({ channels: ['general'] });
  await server.set('enable_spectator_access', true);
  const types = { event_types: ['stream'] };
  const queue = await server.register(server.people.mel, types);
  const reply = await update(server, 'ona', params);
  expect(reply).toMatchObject({ status: 200, body: { result: 'success', msg: '' } });
  const told = (await changes(queue)).filter(({ property }) => property !== 'first_message_id');
  expect(told).toEqual(events.map((event) => ({ ...about, ...event })));
}); // biome-ignore format: a table

test.each<{ why: string; as?: PersonName; id?: number; params: Params; msg: RegExp; code?: string }>([
  { why: 'there is none', id: 99, params: { new_name: 'x' }, msg: /Invalid channel ID/ },
  { why: 'it is hidden', as: 'max', id: 2, params: { new_name: 'x' }, msg: /Invalid channel ID/ },
  { why: 'somebody does not administer it', as: 'max', params: { new_name: 'x' }, msg: /administer/, code: 'CANNOT_ADMINISTER_CHANNEL' },
  { why: 'a guest asks', as: 'gus', params: { new_name: 'x' }, msg: /administer/, code: 'CANNOT_ADMINISTER_CHANNEL' },
  { why: 'the name is taken', params: { new_name: 'TEAM' }, msg: /already in use/ },
  { why: 'the name is what it is', params: { new_name: 'general' }, msg: /already has that name/ },
  { why: 'the name is blank', params: { new_name: ' ' }, msg: /can't be empty/ },
  { why: 'the name is too long', params: { new_name: 'x'.repeat(61) }, msg: /too long/ },
  { why: 'the description is too long', params: { description: 'x'.repeat(1_025) }, msg: /too long/ },
  { why: 'the description has a null byte', params: { description: 'a\0b' }, msg: /null bytes/ },
  { why: 'it is to be private and web-public', params: { is_private: true, is_web_public: true }, msg: /Invalid parameters/ },
  { why: 'it is to be public with protected history', params: { history_public_to_subscribers: false }, msg: /Invalid parameters/ },
  { why: 'web-public access is off', params: { is_web_public: true }, msg: /not enabled/ },
  { why: 'it is a private default one', params: { is_private: true, is_default_stream: true }, msg: /cannot be private/ },
  { why: 'an administrator sets how long messages are kept', as: 'ada', params: { message_retention_days: 7 }, msg: /owner/, code: 'UNAUTHORIZED_PRINCIPAL' },
  { why: 'messages are kept for no time', params: { message_retention_days: 0 }, msg: /message_retention_days/, code: 'REQUEST_VARIABLE_INVALID' },
  { why: 'a topic has a name', params: { topics_policy: 'empty_topic_only' }, msg: /topics with a name/ },
  { why: 'a folder is not there', params: { folder_id: 7 }, msg: /folder/ },
  { why: 'it is not archived', params: { is_archived: false }, msg: /not currently deactivated/ },
  { why: 'another value is stored', params: { can_subscribe_group: { new: MEMBERS, old: MEMBERS } }, msg: /does not match/, code: 'EXPECTATION_MISMATCH' },
  { why: 'a setting is bare', params: { can_subscribe_group: MEMBERS }, msg: /^can_subscribe_group is not a dict/ },
  { why: 'a setting keeps guests out', params: { can_subscribe_group: { new: EVERYONE } }, msg: /role:everyone/ },
  { why: 'an administrator who may not read it lets people in', as: 'ada', id: 2, params: { can_subscribe_group: { new: MEMBERS } }, msg: /content access/ },
  { why: 'an administrator who may not read it opens it', as: 'ada', id: 2, params: { is_private: false }, msg: /content access/ },
])('nothing changes in a channel where $why', async ({ as = 'ona', id = 1, params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startServer({ channels: ['general'] });
  const team = { subscriptions: [{ name: 'team' }], invite_only: true };
  await server.post(server.people.mel, '/users/me/subscriptions', team);
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hello' };
  await server.post(server.people.mel, '/messages', message);
  const queue = await server.register(server.people.ona);
  const reply = await update(server, as, params, id);
  expect(reply).toMatchObject({ status: 400, body: { code, msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
}); // biome-ignore format: a table

test('letting messages be deleted is up to those whom the organization lets decide it', async () => {
  const server = await startServer({ channels: ['general'] });
  await server.set('can_set_delete_message_policy_group', systemGroupId('role:owners'));
  await server.set('can_set_topics_policy_group', systemGroupId('role:owners'));
  const params = { can_delete_any_message_group: { new: MEMBERS } };
  const insufficient = {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' },
  };
  expect(await update(server, 'ada', params)).toMatchObject(insufficient);
  expect(await update(server, 'ada', { topics_policy: 'allow_empty_topic' })).toMatchObject(
    insufficient,
  );
  expect((await update(server, 'ona', params)).status).toBe(200);
});

test('a channel says what became of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.mel);
  await update(server, 'ona', {
    new_name: 'lobby',
    description: 'For all',
    is_private: true,
    message_retention_days: 7,
    can_send_message_group: { new: MEMBERS },
  });
  const by = '@_**Ona Owner|1**';
  expect(await notices(queue)).toEqual(
    [
      `${by} renamed channel **general** to **lobby**.`,
      `${by} changed the description for this channel.\n\n* **Old description:**\n\`\`\` quote\n*No description.*\n\`\`\`\n* **New description:**\n\`\`\` quote\nFor all\n\`\`\``,
      `${by} changed the access permissions for this channel from **Public** to **Private, protected history**.`,
      `${by} has changed the message retention period for this channel:\n* **Old retention period**: Forever\n* **New retention period**: 7 days`,
      `${by} changed who may post in this channel.`,
    ].map((content) => ['channel events', content.replaceAll('``` quote', '```quote')]),
  );
});

test('4.2: a channel that becomes private is gone for who is not in it, and comes back when it is open again', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada, gus } = server.people;
  for (const person of [max, ada]) {
    await server.delete(person, '/users/me/subscriptions', { subscriptions: ['general'] });
  }
  const types = { event_types: ['stream', 'subscription'] };
  const [mels, maxs, adas, guss] = await Promise.all(
    [mel, max, ada, gus].map((person) => server.register(person, types)),
  );
  await update(server, 'ona', { is_private: true });
  await update(server, 'ona', { is_private: false });
  const kinds = async (queue: TestQueue | undefined) =>
    (await queue?.now())
      ?.filter(({ property }) => property !== 'first_message_id')
      .map(({ type, op, property }) => [type, op, property].filter(Boolean).join(' '));
  const told = ['stream update invite_only', 'stream update invite_only'];
  expect(await kinds(mels)).toEqual(told);
  expect(await kinds(adas)).toEqual(told);
  expect(await kinds(guss)).toEqual(told);
  expect(await kinds(maxs)).toEqual(['stream delete', 'stream create', 'subscription peer_add']);
});

test('an archived channel is gone for older clients, read for everybody, and comes back as it was', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada } = server.people;
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
  await server.post(ada, '/default_streams', { stream_id: 1 });
  const message = { type: 'channel', to: 'general', topic: 'tea', content: '@**Mel Member**' };
  await server.post(ada, '/messages', message);
  const types = { event_types: ['stream', 'subscription', 'default_streams'] };
  const capabilities = { notification_settings_null: true, archived_channels: true };
  const modern = await server.register(mel, { ...types, client_capabilities: capabilities });
  const older = await server.register(mel, types);
  const outside = await server.register(max, types);
  expect((await server.delete(ada, '/streams/1')).body).toEqual({ result: 'success', msg: '' });
  const again = await server.delete(ada, '/streams/1');
  expect(again.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Channel is already deactivated' });
  const send = await server.post(ada, '/messages', message);
  expect(send.body).toMatchObject({ code: 'BAD_REQUEST' });
  const { state } = await server.register(mel, { client_capabilities: capabilities });
  expect(state.subscriptions).toMatchObject([{ stream_id: 1, is_archived: true }]);
  expect(state.unread_msgs).toMatchObject({ count: 0, streams: [], mentions: [] });
  expect((await server.register(mel)).state.subscriptions).toEqual([]);
  await update(server, 'ada', { is_archived: false });
  const gone = { type: 'default_streams', default_streams: [] };
  const archived = { ...about, property: 'is_archived' };
  expect(await changes(modern)).toMatchObject([
    { ...archived, value: true },
    gone,
    { ...archived, value: false },
  ]);
  const deleted = { type: 'stream', op: 'delete', stream_ids: [1], streams: [{ stream_id: 1 }] };
  const created = {
    type: 'stream',
    op: 'create',
    streams: [{ stream_id: 1, subscriber_count: 0 }],
  };
  const subscribers = [1, 2, 3, 4, 6, 7];
  expect(await changes(older)).toMatchObject([
    deleted,
    gone,
    created,
    { op: 'add', subscriptions: [{ stream_id: 1, subscribers, subscriber_count: 6 }] },
  ]);
  expect(await changes(outside)).toMatchObject([
    deleted,
    gone,
    created,
    { op: 'peer_add', stream_ids: [1], user_ids: subscribers },
  ]);
});

test('who is in it administers an archived channel no less, and may join it', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'team' }] });
  const older = await server.register(max);
  await server.delete(mel, '/streams/1');
  await older.now();
  const join = { subscriptions: [{ name: 'team' }] };
  expect((await server.post(max, '/users/me/subscriptions', join)).body.subscribed).toEqual({
    [max.id]: ['team'],
  });
  expect((await update(server, 'mel', { new_name: 'past' })).status).toBe(200);
  expect(await changes(older)).toEqual([]);
  const refused = await server.delete(max, '/streams/1');
  expect(refused.body.code).toBe('CANNOT_ADMINISTER_CHANNEL');
});

test('default channels are for administrators to choose, and never private', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, gus } = server.people;
  const team = { subscriptions: [{ name: 'team' }], invite_only: true };
  await server.post(ada, '/users/me/subscriptions', team);
  const queues = await Promise.all([mel, gus].map((person) => server.register(person)));
  for (const [person, id, status] of [[mel, 1, 400], [ada, 2, 400], [ada, 99, 400], [ada, 1, 200], [ada, 1, 200]] as const) {
    expect((await server.post(person, '/default_streams', { stream_id: id })).status).toBe(status);
  } // biome-ignore format: a table
  expect((await server.delete(ada, '/default_streams', { stream_id: 1 })).status).toBe(200);
  const [mels, guss] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mels).toMatchObject([
    { type: 'default_streams', default_streams: [1] },
    { type: 'default_streams', default_streams: [] },
  ]);
  expect(guss).toEqual([]);
});
