import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

const withGeneral = () => startServer({ channels: ['general'] });

const send = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', { ...MESSAGE, content });

test('a poll waits until there is something, and is answered with it at once', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const poll = queue.poll();
  await send(server, 'first');
  expect((await poll).body).toEqual({
    result: 'success',
    msg: '',
    queue_id: queue.id,
    events: [expect.objectContaining({ type: 'message', flags: [] })],
  });
});

test('a poll with dont_block is answered at once with what there is', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const { status, body } = await queue.poll({ dont_block: true });
  expect(status).toBe(200);
  expect(body).toEqual({ result: 'success', msg: '', events: [], queue_id: queue.id });
  await send(server, 'first');
  await send(server, 'second');
  const events = await queue.now();
  expect(events.map((event) => event['message'].content)).toEqual(['first', 'second']);
});

test('ids ascend, and are the same in every queue', async () => {
  const server = await withGeneral();
  const one = await server.register(server.people.max, MESSAGES_ONLY);
  const other = await server.register(server.people.mia, { fetch_event_types: [] });
  for (const content of ['a', 'b', 'c']) await send(server, content);
  const ids = (await one.now()).map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((first, second) => first - second));
  const others = await other.now();
  expect(others.filter(({ type }) => type === 'message').map(({ id }) => id)).toEqual(ids);
});

test('a lost answer is repeated to whoever asks again from the same position', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await send(server, 'first');
  const lost = await queue.poll();
  await send(server, 'second');
  const again = await queue.poll();
  expect(again.body.events).toHaveLength(2);
  expect(again.body.events[0]).toEqual(lost.body.events[0]);
  expect((await queue.poll()).body).toEqual(again.body);
});

test('what was acknowledged is not given again, and asking for it is refused', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const start = queue.lastEventId;
  await send(server, 'first');
  await queue.now();
  expect(await queue.now()).toEqual([]);
  expect(await queue.poll({ last_event_id: start, dont_block: true })).toMatchObject({
    status: 400,
    body: {
      code: 'BAD_REQUEST',
      msg: `An event newer than ${start} has already been pruned!`,
    },
  });
});

test('-1 stands for the beginning of a fresh queue, until something is acknowledged', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await send(server, 'first');
  for (const _ of ['once', 'again']) {
    const { body } = await queue.poll({ last_event_id: -1, dont_block: true });
    expect(body.events).toHaveLength(1);
  }
  await queue.now();
  await queue.now();
  expect(await queue.poll({ last_event_id: -1, dont_block: true })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringContaining('already been pruned') },
  });
});

test('a position ahead of the log is refused, and the queue is as it was', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await send(server, 'first');
  const ahead = queue.lastEventId + 1_000;
  expect(await queue.poll({ last_event_id: ahead, dont_block: true })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `Event ${ahead} was not in this queue` },
  });
  expect(await queue.now()).toHaveLength(1);
});

test('a second poll takes over: the first is answered with nothing', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const first = queue.poll();
  await server.get(max, '/users/me'); // by its answer the poll before it is parked
  const second = queue.poll();
  expect(await first).toMatchObject({
    status: 200,
    body: { result: 'success', events: [], queue_id: queue.id },
  });
  await send(server, 'to the second');
  expect((await second).body.events).toMatchObject([{ message: { content: 'to the second' } }]);
});

test('a poll whose client went away takes nothing with it', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const gone = new AbortController();
  const path = `/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const poll = server.request('GET', path, { as: max, signal: gone.signal });
  await server.get(max, '/users/me');
  gone.abort();
  await expect(poll).rejects.toThrow(/abort/);
  await send(server, 'later');
  expect(await queue.next()).toMatchObject([{ message: { content: 'later' } }]);
});

test('a heartbeat ends a poll within a minute, whatever types and narrow the queue has', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, {
    ...MESSAGES_ONLY,
    event_types: ['presence'],
    narrow: [['channel', 'nowhere']],
  });
  const poll = queue.poll();
  await server.get(max, '/users/me');
  server.clock.advance(60_000);
  const events = (await poll).body.events;
  expect(events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }]);
  queue.lastEventId = events[0].id;
  expect(await queue.now()).toEqual([]);
});

test('no heartbeat is kept for a queue without a poll', async () => {
  const server = await withGeneral();
  const { max, mia } = server.people;
  const away = await server.register(max, { fetch_event_types: [] });
  const waiting = await server.register(mia, { fetch_event_types: [] });
  const poll = waiting.poll();
  await server.get(mia, '/users/me');
  server.clock.advance(60_000);
  await poll;
  expect(await away.now()).toEqual([]);
});

test('a restart is told to every queue, after what happened before it', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const all = await server.register(max, { fetch_event_types: [] });
  const messages = await server.register(max, MESSAGES_ONLY);
  await send(server, 'before');
  await server.restart();
  await send(server, 'after');
  const types = (await all.now()).map(({ type }) => type);
  expect(types.filter((type) => type !== 'stream')).toEqual(['message', 'restart', 'message']);
  const heard = (await messages.now()).map((event) => event['message'].content);
  expect(heard).toEqual(['before', 'after']);
});

test('a parked poll is answered with nothing when the server stops', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const poll = queue.poll();
  await server.get(max, '/users/me');
  await server.restart();
  expect(await poll).toMatchObject({ status: 200, body: { events: [] } });
});

test.each([
  { why: 'no queue_id', params: { queue_id: undefined }, msg: "Missing 'queue_id' argument" },
  {
    why: 'no last_event_id',
    params: { last_event_id: undefined },
    msg: "Missing 'last_event_id' argument",
  },
  { why: 'a word', params: { last_event_id: 'x' }, msg: 'last_event_id is not an integer' },
  { why: 'a fraction', params: { last_event_id: '1.5' }, msg: 'last_event_id is not an integer' },
  {
    why: 'a number too large',
    params: { last_event_id: '99999999999999999999' },
    msg: 'last_event_id is not an integer',
  },
  { why: 'no boolean', params: { dont_block: 'maybe' }, msg: 'dont_block is not a boolean' },
])('a poll is refused: $why', async ({ params, msg }) => {
  const server = await startServer();
  const queue = await server.register(server.people.mel, MESSAGES_ONLY);
  const reply = await queue.poll({ dont_block: true, ...params });
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', code: 'BAD_REQUEST', msg } });
});

test('a queue that is unknown, of another user or of another realm looks the same: bad', async () => {
  const server = await startServer();
  const other = await server.addRealm('other');
  const { mel, max } = server.people;
  const own = await server.register(mel, MESSAGES_ONLY);
  const foreign = await other.register(other.admin, MESSAGES_ONLY);
  for (const [as, queueId] of [
    [mel, 'no such queue'],
    [mel, ''],
    [max, own.id],
    [mel, foreign.id],
  ] as const) {
    const params = { queue_id: queueId, last_event_id: 0, dont_block: true };
    expect(await server.get(as, '/events', params)).toMatchObject({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue id: ${queueId}`,
        queue_id: queueId,
      },
    });
    const deletion = await server.delete(as, '/events', { queue_id: queueId });
    expect(deletion.body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: queueId });
  }
  expect(await own.now()).toEqual([]);
});
