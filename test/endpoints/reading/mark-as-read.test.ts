import { expect, test } from 'vitest';
import { MESSAGES_PER_MARKING } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/**
 * Gives Mel unread messages of every kind: some are read out of order, one is marked unread, one is
 * starred and was never received.
 */
async function unreadEverywhere() {
  const server = await startServer({ channels: ['general', 'random'] });
  const { ada, max, mel, ona } = server.people;
  const say = async (to: string, topic: string, content = 'hi') => {
    const message = { type: 'channel', to, topic, content };
    return Number((await server.post(ada, '/messages', message)).body['id']);
  };
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'else' }] });
  const general = [
    await say('general', 'a'),
    await say('general', 'B'),
    await say('general', 'a', '@**Mel Member**'),
    await say('general', 'a', '@**all**'),
  ];
  await say('random', 'a');
  for (const to of [[mel.id], [mel.id, max.id]]) {
    await server.post(ada, '/messages', { type: 'direct', to, content: 'hi' });
  }
  const missed = { type: 'channel', to: 'else', topic: 'a', content: 'hi' };
  const { body } = await server.post(ona, '/messages', missed);
  const flags = (messages: unknown[], op: string, flag: string) =>
    server.post(mel, '/messages/flags', { messages, op, flag });
  await flags([general[0], general[1]], 'add', 'read');
  await flags([general[0]], 'remove', 'read');
  await flags([Number(body['id'])], 'add', 'starred');
  return { server, general, starred: Number(body['id']) };
}

async function unread(server: TestServer, as: Person): Promise<number[]> {
  const narrow = [['is', 'unread']];
  const request = { anchor: 'newest', num_before: 100, num_after: 0, narrow };
  const { body } = await server.get(as, '/messages', request);
  return body['messages'].map(({ id }: { id: number }) => id);
}

test('2.1 mark_all_as_read reads everything, and tells so with one event for the user alone', async () => {
  const { server, starred } = await unreadEverywhere();
  const { mel, max } = server.people;
  expect((await unread(server, mel)).length).toBeGreaterThan(5);
  const others = await unread(server, max);
  const [own, other] = [await server.register(mel), await server.register(max)];

  await expectExactAfter(server, async () => {
    const { status, body } = await server.post(mel, '/mark_all_as_read');
    expect([status, body]).toEqual([200, { result: 'success', msg: '', complete: true }]);
  });

  expect(await own.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages: [],
      all: true,
    },
  ]);
  expect(await other.now()).toEqual([]);
  expect(await unread(server, mel)).toEqual([]);
  expect(await unread(server, max)).toEqual(others);
  const { body } = await server.get(mel, `/messages/${starred}`);
  expect(body['message']['flags']).toEqual(['read', 'starred', 'historical']);
});

test('many that were marked unread one by one are read some at a time, each told of, and then everything', async () => {
  const { server } = await unreadEverywhere();
  const { mel, ada } = server.people;
  const count = MESSAGES_PER_MARKING + 10;
  const ids = await sendMany(server, { as: ada, count, topic: 'many' });
  await server.post(mel, '/mark_all_as_read');
  await server.post(mel, '/messages/flags', { messages: ids, op: 'remove', flag: 'read' });
  const own = await server.register(mel);
  await expectExactAfter(server, async () => {
    const { body } = await server.post(mel, '/mark_all_as_read');
    expect(body).toEqual({ result: 'success', msg: '', complete: true });
  });
  const read = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read' };
  const told = { id: expect.any(Number), ...read };
  expect(await own.now()).toEqual([
    { ...told, messages: ids.slice(0, MESSAGES_PER_MARKING), all: false },
    { ...told, messages: [], all: true },
  ]);
  expect(await unread(server, mel)).toEqual([]);
});

test('what comes after mark_all_as_read is unread, and what is marked unread becomes so', async () => {
  const { server, general } = await unreadEverywhere();
  const { mel, ada } = server.people;
  await server.post(mel, '/mark_all_as_read');
  const message = { type: 'channel', to: 'general', topic: 'a', content: 'hi' };
  const { body } = await server.post(ada, '/messages', message);
  const marked = { messages: [general[1]], op: 'remove', flag: 'read' };
  await server.post(mel, '/messages/flags', marked);
  expect(await unread(server, mel)).toEqual([general[1], Number(body['id'])]);
});

test('mark_stream_as_read reads one channel, mark_topic_as_read one topic of it whatever the case', async () => {
  const { server, general } = await unreadEverywhere();
  const { mel } = server.people;
  const own = await server.register(mel);
  const before = await unread(server, mel);
  const [first, second] = [general[0], general[2]];

  await expectExactAfter(server, async () => {
    const request = { stream_id: 1, topic_name: 'A' };
    const { status, body } = await server.post(mel, '/mark_topic_as_read', request);
    expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
  });
  expect(await own.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages: [first, second, general[3]],
      all: false,
    },
  ]);
  const left = before.filter((id) => ![first, second, general[3]].includes(id));
  expect(await unread(server, mel)).toEqual(left);

  await expectExactAfter(server, async () => {
    const { status } = await server.post(mel, '/mark_stream_as_read', { stream_id: 2 });
    expect(status).toBe(200);
  });
  const [event] = await own.now();
  const inRandom = event?.['messages'] as number[];
  expect(inRandom.length).toBeGreaterThan(0);
  expect(await unread(server, mel)).toEqual(left.filter((id) => !inRandom.includes(id)));
  // There is nothing more to tell.
  await server.post(mel, '/mark_stream_as_read', { stream_id: 2 });
  expect(await own.now()).toEqual([]);
});

test.each<{ path: string; params: Params; body: object }>([
  {
    path: '/mark_stream_as_read',
    params: {},
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'stream_id' },
  },
  {
    path: '/mark_stream_as_read',
    params: { stream_id: 'x' },
    body: { code: 'BAD_REQUEST', msg: 'stream_id is not an integer' },
  },
  {
    path: '/mark_stream_as_read',
    params: { stream_id: 99 },
    body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  },
  {
    path: '/mark_topic_as_read',
    params: { stream_id: 1 },
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'topic_name' },
  },
  {
    path: '/mark_topic_as_read',
    params: { stream_id: -1, topic_name: 'a' },
    body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  },
  {
    path: '/mark_topic_as_read',
    params: { stream_id: 1, topic_name: 'nowhere' },
    body: { code: 'BAD_REQUEST', msg: "No such topic 'nowhere'" },
  },
])('$path refuses $body', async ({ path, params, body }) => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.mel);
  const reply = await server.post(server.people.mel, path, params);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  expect(await queue.now()).toEqual([]);
});

test('a channel that one may not read is not read', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  await server.post(ada, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
  });
  for (const path of ['/mark_stream_as_read', '/mark_topic_as_read']) {
    const reply = await server.post(mel, path, { stream_id: 1, topic_name: 'a' });
    expect(reply).toMatchObject({ status: 400, body: { msg: 'Invalid channel ID' } });
  }
});
