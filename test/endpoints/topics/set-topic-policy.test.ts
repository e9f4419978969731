import { expect, test } from 'vitest';
import { MUTED_TOPICS_PER_USER_MAX } from '../../../src/domain/limits/channels.ts';
import * as userTopics from '../../../src/operations/indexes/user-topics.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const SUCCESS = { result: 'success', msg: '' };
const GENERAL = 1;
const LUNCH = { stream_id: GENERAL, topic: 'Lunch' };

const set = (server: TestServer, as: Person, params: object) =>
  server.post(as, '/user_topics', { ...LUNCH, ...params });

const say = (server: TestServer, as: Person, params: object = {}) =>
  server.post(as, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'lunch',
    content: 'soup?',
    ...params,
  });

test('a topic is muted, followed and forgotten, for oneself alone; the older event is for those who do not name the newer', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const all = await server.register(mel);
  const modern = await server.register(mel, { event_types: ['user_topic', 'muted_topics'] });
  const old = await server.register(mel, { event_types: ['muted_topics'] });
  const other = await server.register(max);
  for (const visibility_policy of [1, 3, 3, 0, 0]) {
    expect((await set(server, mel, { visibility_policy })).body).toEqual(SUCCESS);
  }
  const now = Math.floor(server.clock.now() / 1000);
  const id = expect.any(Number);
  const decided = (visibility_policy: number) => ({
    id,
    type: 'user_topic',
    stream_id: GENERAL,
    topic_name: 'Lunch',
    last_updated: now,
    visibility_policy,
  });
  const muted = (...topics: string[]) => ({
    id,
    type: 'muted_topics',
    muted_topics: topics.map((topic) => ['general', topic, now]),
  });
  expect(await all.now()).toEqual([
    muted('Lunch'),
    decided(1),
    muted(),
    decided(3),
    muted(),
    decided(0),
  ]);
  expect(await modern.now()).toEqual([decided(1), decided(3), decided(0)]);
  expect(await old.now()).toEqual([muted('Lunch'), muted(), muted()]);
  expect(await other.now()).toEqual([]);
});

test('the snapshot has what was decided, and what is muted for those who do not ask for both', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await set(server, mel, { visibility_policy: 1 });
  await set(server, mel, { topic: '', visibility_policy: 3 });
  const now = Math.floor(server.clock.now() / 1000);
  const stateOf = async (params: Params) => (await server.register(mel, params)).state;

  const lunch = {
    stream_id: GENERAL,
    topic_name: 'Lunch',
    last_updated: now,
    visibility_policy: 1,
  };
  const capable = { notification_settings_null: true, empty_topic_name: true };
  expect((await stateOf({ client_capabilities: capable })).user_topics).toEqual([
    { ...lunch, topic_name: '', visibility_policy: 3 },
    lunch,
  ]);
  const all = await stateOf({});
  expect(all.user_topics[0].topic_name).toBe('general chat');
  expect(all.muted_topics).toEqual([['general', 'Lunch', now]]);
  const both = await stateOf({ fetch_event_types: ['user_topic', 'muted_topics'] });
  expect(both).not.toHaveProperty('muted_topics');
});

test('a client that does not know the empty topic is told its name', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const capable = { notification_settings_null: true, empty_topic_name: true };
  const event_types = ['user_topic'];
  const queues = [
    await server.register(mel, { event_types }),
    await server.register(mel, { event_types, client_capabilities: capable }),
  ];
  await set(server, mel, { topic: 'General Chat', visibility_policy: 3 });
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  expect(heard.map(([event]) => event?.['topic_name'])).toEqual(['general chat', '']);
});

test('muted topics are listed as unread but not counted, nor are their wildcards; those of muted channels count once they are unmuted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await say(server, max);
  const { id: all } = (await say(server, max, { content: '@**all** look' })).body;
  const { id: own } = (await say(server, max, { content: '@**Mel Member** look' })).body;
  const unread = async () => (await server.register(mel)).state.unread_msgs;

  expect(await unread()).toMatchObject({ count: 3, mentions: [own, all] });
  // A user who is mentioned follows the topic; this takes it back.
  await set(server, mel, { visibility_policy: 1 });
  expect(await unread()).toMatchObject({
    count: 0,
    mentions: [own],
    streams: [{ stream_id: GENERAL, topic: 'lunch', unread_message_ids: [1, 2, 3] }],
  });
  await server.perform((tx) => {
    const subscription = tx.subscriptions.get([GENERAL, mel.id]) ?? expect.fail();
    tx.subscriptions.put([GENERAL, mel.id], { ...subscription, isMuted: true });
  });
  for (const [visibility_policy, count] of [
    [0, 0],
    [2, 3],
    [1, 0],
    [3, 3],
  ]) {
    await set(server, mel, { visibility_policy });
    expect((await unread()).count, `policy ${visibility_policy}`).toBe(count);
  }
});

test('a message marked unread in a muted topic is no mention for a wildcard', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await set(server, mel, { visibility_policy: 1 });
  const { id } = (await say(server, max, { content: '@**all** look' })).body;
  const flag = { messages: [id], flag: 'read' };
  await server.post(mel, '/messages/flags', { ...flag, op: 'add' });
  const queue = await server.register(mel, { event_types: ['update_message_flags'] });
  await server.post(mel, '/messages/flags', { ...flag, op: 'remove' });
  const [event] = await queue.now();
  expect(event?.['message_details'][id]).toEqual({
    type: 'stream',
    stream_id: GENERAL,
    topic: 'lunch',
    unmuted_stream_msg: false,
  });
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  await say(server, max);
  await expectExactAfter(server, async () => {
    await set(server, mel, { visibility_policy: 1 });
    await set(server, mel, { topic: 'tea', visibility_policy: 1 });
    await set(server, gus, { topic: '', visibility_policy: 3 });
    await say(server, max, { content: '@**all** look' });
    await say(server, max, { topic: 'tea', content: '@**all** look' });
    await set(server, mel, { topic: 'LUNCH', visibility_policy: 0 });
    await set(server, gus, { topic: 'Tea', visibility_policy: 1 });
  });
});

test('a topic is one whatever its case, need not exist, and is named as it was last written', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await set(server, mel, { visibility_policy: 1 });
  await set(server, mel, { topic: 'LUNCH', visibility_policy: 2 });
  const { state } = await server.register(mel);
  expect(state.user_topics).toMatchObject([{ topic_name: 'LUNCH', visibility_policy: 2 }]);
});

test('content access is needed to decide, an existing channel alone to take it back', async () => {
  const server = await startServer();
  const { ona, mel, gus } = server.people;
  const names = [{ name: 'open' }];
  await server.post(ona, '/users/me/subscriptions', { subscriptions: names });
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' } };
  expect((await set(server, mel, { stream_id: 1, visibility_policy: 1 })).status).toBe(200);
  for (const visibility_policy of [1, 2, 3]) {
    expect(await set(server, gus, { stream_id: 1, visibility_policy })).toMatchObject(refused);
    expect(await set(server, mel, { stream_id: 2, visibility_policy })).toMatchObject(refused);
  }
  expect((await set(server, gus, { stream_id: 1, visibility_policy: 0 })).status).toBe(200);
  expect((await set(server, mel, { stream_id: 2, visibility_policy: 0 })).status).toBe(200);
  expect(await set(server, mel, { stream_id: 3, visibility_policy: 0 })).toMatchObject(refused);
});

test.each([
  { why: 'no channel', params: { stream_id: undefined }, body: missing('stream_id') },
  { why: 'a channel by name', params: { stream_id: 'general' }, body: bad(/^stream_id is not/) },
  { why: 'a negative id', params: { stream_id: -1 }, body: bad(/^Invalid channel ID/) },
  { why: 'no topic', params: { topic: undefined }, body: missing('topic') },
  { why: 'a topic too long', params: { topic: 'x'.repeat(61) }, body: bad(/^topic is too long/) },
  { why: 'a NUL in the topic', params: { topic: 'a\0' }, body: bad(/^Invalid character in topic/) },
  {
    why: 'no policy',
    params: { visibility_policy: undefined },
    body: missing('visibility_policy'),
  },
  {
    why: 'an unknown policy',
    params: { visibility_policy: 4 },
    body: bad(/^Invalid visibility_policy/),
  },
  {
    why: 'a negative one',
    params: { visibility_policy: -1 },
    body: bad(/^Invalid visibility_policy/),
  },
  { why: 'no number', params: { visibility_policy: 'x' }, body: bad(/^visibility_policy is not/) },
])('is refused: $why', async ({ params, body }) => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel);
  const reply = await set(server, mel, { visibility_policy: 1, ...params });
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  expect(await queue.now()).toEqual([]);
});

test('a topic of 60 characters is one, and so many topics can be muted and no more', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const longest = { topic: 'x'.repeat(60), visibility_policy: 1 };
  expect((await set(server, mel, longest)).status).toBe(200);
  await server.perform((tx) => {
    for (let count = 1; count < MUTED_TOPICS_PER_USER_MAX - 1; count++) {
      tx.mutedTopics.put([mel.id, GENERAL, `topic ${count}`], {});
    }
    userTopics.decide(tx, mel.id, { channelId: GENERAL, topic: 'followed', policy: 3 });
  });
  expect((await set(server, mel, { visibility_policy: 1 })).status).toBe(200);
  expect(await set(server, mel, { topic: 'one more', visibility_policy: 1 })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You can mute at most 2000 topics.' },
  });
  expect((await set(server, mel, { visibility_policy: 1 })).status).toBe(200);
  expect((await set(server, mel, { topic: 'one more', visibility_policy: 3 })).status).toBe(200);
});

function missing(name: string) {
  return { code: 'REQUEST_VARIABLE_MISSING', var_name: name };
}

function bad(msg: RegExp) {
  return { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) };
}
