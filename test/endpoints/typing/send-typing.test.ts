import { expect, test } from 'vitest';
import { TYPING_SUBSCRIBERS_MAX } from '../../../src/domain/limits/messages.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const SUCCESS = { result: 'success', msg: '' };
const IN_TEA = { type: 'stream', stream_id: 1, topic: 'tea' };
const capabilities = { notification_settings_null: true, stream_typing_notifications: true };
const BOTH_KINDS = { client_capabilities: capabilities };

const type = ({ post, people }: TestServer, params: Params) =>
  post(people.mel, '/typing', { op: 'start', ...params });

const sender = ({ people: { mel } }: TestServer) => ({ user_id: mel.id, email: mel.email });

test('the people of a conversation are told who begins and stops to write, and nobody else', async () => {
  const server = await startServer();
  const { mel, max, gus, mia } = server.people;
  const queues = await Promise.all([mel, max, gus].map((person) => server.register(person)));
  const other = await server.register(mia);
  const told = (op: string, people: (typeof mel)[]) => ({
    id: expect.any(Number),
    type: 'typing',
    op,
    message_type: 'direct',
    sender: sender(server),
    recipients: people.map(({ id, email }) => ({ user_id: id, email })),
  });
  expect((await type(server, { to: [max.id, gus.id] })).body).toEqual(SUCCESS);
  const stop = { op: 'stop', type: 'direct', to: [gus.id, max.id, mel.id] };
  expect((await type(server, stop)).body).toEqual(SUCCESS);
  for (const queue of queues) {
    expect(await queue.now()).toEqual([
      told('start', [mel, max, gus]),
      told('stop', [mel, max, gus]),
    ]);
  }
  expect(await other.now()).toEqual([]);
});

test('typing in a topic is for queues with stream_typing_notifications, and its empty topic as they know it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  const modern = {
    client_capabilities: { ...capabilities, empty_topic_name: true },
  };
  await server.delete(mia, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queues = {
    own: await server.register(mel, BOTH_KINDS),
    plain: await server.register(max, BOTH_KINDS),
    modern: await server.register(max, modern),
    incapable: await server.register(max),
    outside: await server.register(mia, BOTH_KINDS),
  };
  const told = (op: string, topic: string) => ({
    id: expect.any(Number),
    type: 'typing',
    op,
    message_type: 'stream',
    sender: sender(server),
    stream_id: 1,
    topic,
  });
  for (const params of [IN_TEA, { ...IN_TEA, op: 'stop', type: 'channel', topic: '' }]) {
    expect((await type(server, params)).body).toEqual(SUCCESS);
  }
  expect(await queues.plain.now()).toEqual([told('start', 'tea'), told('stop', 'general chat')]);
  expect(await queues.own.now()).toEqual([told('start', 'tea'), told('stop', 'general chat')]);
  expect(await queues.modern.now()).toEqual([told('start', 'tea'), told('stop', '')]);
  expect(await queues.incapable.now()).toEqual([]);
  expect(await queues.outside.now()).toEqual([]);
});

test('who does not want to know who types is not told, in conversations and channels', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.patch(max, '/settings', { receives_typing_notifications: false });
  const willing = await server.register(mel, BOTH_KINDS);
  const unwilling = await server.register(max, BOTH_KINDS);
  await type(server, { to: [max.id] });
  await type(server, IN_TEA);
  expect((await willing.now()).map((event) => event['message_type'])).toEqual(['direct', 'stream']);
  expect(await unwilling.now()).toEqual([]);

  await server.patch(mel, '/settings', { receives_typing_notifications: false });
  const { lastEventId } = await server.register(mel);
  await type(server, { to: [max.id] });
  // An event that nobody is told is not in the log either.
  expect((await server.register(mel)).lastEventId).toBe(lastEventId);
});

test('in a channel of 100 subscribers all are told, in a larger one nobody is', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel, BOTH_KINDS);
  const count = (subscriberCount: number) =>
    server.perform((tx) => {
      const channel = tx.channels.get([1]) ?? expect.fail('general is there');
      tx.channels.put([1], { ...channel, subscriberCount });
    });
  await count(TYPING_SUBSCRIBERS_MAX);
  expect((await type(server, IN_TEA)).body).toEqual(SUCCESS);
  expect(await queue.now()).toMatchObject([{ type: 'typing', topic: 'tea' }]);
  await count(TYPING_SUBSCRIBERS_MAX + 1);
  expect((await type(server, IN_TEA)).body).toEqual(SUCCESS);
  expect(await queue.now()).toEqual([]);
});

test('4: typing changes no snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  await expectExactAfter(server, async () => {
    await type(server, { to: [server.people.max.id] });
    await type(server, { ...IN_TEA, op: 'stop' });
  });
});

test.each([
  {
    why: 'nothing is said to have happened',
    params: { op: undefined, to: [5] },
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'op' },
  },
  { why: 'another operation', params: { op: 'pause', to: [5] }, msg: 'Invalid op' },
  { why: 'another type', params: { type: 'private', to: [5] }, msg: 'Invalid type' },
  { why: 'nobody is named', params: {}, msg: "Missing 'to' argument" },
  { why: 'a list of nobody', params: { to: [] }, msg: "Empty 'to' list" },
  { why: 'no list', params: { to: 5 }, msg: 'to is not a list' },
  { why: 'an address', params: { to: ['max@example.com'] }, msg: 'to[0] is not an integer' },
  { why: 'somebody unknown', params: { to: [5, 99] }, msg: 'Invalid user ID 99' },
  {
    why: 'more people than a conversation has',
    params: { to: Array.from({ length: 1_001 }, () => 5) },
    msg: 'A direct message has at most 1000 recipients',
  },
  {
    why: 'no channel',
    params: { type: 'channel', topic: 'tea' },
    msg: "Missing 'stream_id' argument",
  },
  {
    why: 'a channel that is no id',
    params: { ...IN_TEA, stream_id: 'general' },
    msg: 'stream_id is not an integer',
  },
  { why: 'an unknown channel', params: { ...IN_TEA, stream_id: 99 }, msg: 'Invalid channel ID' },
  {
    why: 'a channel one may not read',
    params: { ...IN_TEA, stream_id: 2 },
    msg: 'Invalid channel ID',
  },
  { why: 'no topic', params: { ...IN_TEA, topic: undefined }, msg: 'Missing topic' },
  {
    why: 'a topic of what nobody can see',
    params: { ...IN_TEA, topic: '\0' },
    msg: 'Invalid character in topic, at position 1!',
  },
])('is refused, and nobody is told: $why', async ({ params, msg, body }) => {
  const server = await startServer({ channels: ['general'] });
  const { ona, max } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  const queue = await server.register(max, BOTH_KINDS);
  const reply = await type(server, params);
  const expected = body ?? { code: 'BAD_REQUEST', msg };
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...expected } });
  expect(await queue.now()).toEqual([]);
});

test.each([
  { setting: 'send_private_typing_notifications', params: { to: [5] }, of: 'direct messages' },
  { setting: 'send_stream_typing_notifications', params: IN_TEA, of: 'channel messages' },
])('who keeps their typing to themselves does not tell it: $setting', async (given) => {
  const server = await startServer({ channels: ['general'] });
  await server.patch(server.people.mel, '/settings', { [given.setting]: false });
  const { status, body } = await type(server, given.params);
  expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  expect(body.msg).toBe(`User has disabled typing notifications for ${given.of}`);
});

test('only who may write somewhere types there', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, gus } = server.people;
  await server.patch(ona, '/streams/1', {
    can_send_message_group: { new: { direct_members: [ona.id], direct_subgroups: [] } },
  });
  expect((await type(server, IN_TEA)).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'You do not have permission to post in this channel.',
  });
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const reply = await server.post(gus, '/typing', { op: 'start', to: [server.people.max.id] });
  expect([reply.status, reply.body.code]).toEqual([400, 'BAD_REQUEST']);
});
