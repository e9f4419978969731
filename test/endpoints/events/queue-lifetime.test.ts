import { expect, test } from 'vitest';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };
/** A queue with these options lives longer than any of these tests. */
const LONG_LIVED = { ...MESSAGES_ONLY, queue_lifespan_secs: 86_400 };
const MINUTE_MS = 60_000;

const realmOf = (server: TestServer) => server.app.realms.named('test') ?? expect.fail();

/**
 * Commits that follow from each other: notes of what clients acknowledged, the trim that they
 * allow, and the end of queues that are left behind.
 */
const HOUSEKEEPING_STEPS = 3;

/** Moves time, and waits until what the realm did by itself in it is committed. */
async function pass(server: TestServer, ms: number) {
  server.clock.advance(ms);
  for (let step = 0; step < HOUSEKEEPING_STEPS; step += 1) {
    await realmOf(server).perform(() => undefined);
  }
}

const send = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', { ...MESSAGE, content });

/** Sends so many messages of a kilobyte, in order, that a log of 64 KB cannot hold them. */
async function fill(server: TestServer) {
  const contents = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(1_000)}`);
  const socket = await server.socket(server.people.mel);
  for (const content of contents) {
    const params = { ...MESSAGE, content };
    socket.send({ type: 'request', id: content, method: 'POST', path: '/messages', params });
  }
  for (const _ of contents) expect((await socket.frame('reply'))['status']).toBe(200);
  return contents;
}

const contentsOf = async (queue: TestQueue) =>
  (await queue.now())
    .filter(({ type }) => type === 'message')
    .map((event) => event['message'].content);

const gone = (queue: TestQueue) => ({
  status: 400,
  body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: queue.id },
});

test('a queue that nobody polls expires after 10 minutes, also across a restart', async () => {
  const server = await startServer();
  const queue = await server.register(server.people.mel, MESSAGES_ONLY);
  await pass(server, 10 * MINUTE_MS - 1_000);
  expect((await queue.poll({ dont_block: true })).status).toBe(200);
  await pass(server, 9 * MINUTE_MS);
  expect((await queue.poll({ dont_block: true })).status).toBe(200);
  await pass(server, 11 * MINUTE_MS);
  expect(await queue.poll()).toMatchObject(gone(queue));
  expect(await server.delete(queue.as, '/events', { queue_id: queue.id })).toMatchObject(
    gone(queue),
  );
  await server.restart();
  expect(await queue.poll()).toMatchObject(gone(queue));
});

test('queue_lifespan_secs makes the idle life longer or shorter, of at most 7 days', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const short = await server.register(mel, { ...MESSAGES_ONLY, queue_lifespan_secs: 60 });
  const long = await server.register(mel, { ...MESSAGES_ONLY, queue_lifespan_secs: 3_600 });
  const longest = await server.register(mel, { ...MESSAGES_ONLY, queue_lifespan_secs: 1e9 });
  await pass(server, 61_000);
  expect(await short.poll()).toMatchObject(gone(short));
  await pass(server, 58 * MINUTE_MS);
  expect((await long.poll({ dont_block: true })).status).toBe(200);
  const { options } = realmOf(server).reader.queues.get([longest.id]) ?? expect.fail();
  expect(options.idleSeconds).toBe(7 * 24 * 3_600);
});

test('a queue whose socket is open does not expire', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel, { ...MESSAGES_ONLY, queue_lifespan_secs: 60 });
  const socket = await server.socket(mel, { query: `?queue_id=${queue.id}&last_event_id=-1` });
  await socket.frame('hello');
  await pass(server, 30 * MINUTE_MS);
  await send(server, 'still here');
  expect(socket.ws.readyState).toBe(socket.ws.OPEN);
  socket.close();
  await socket.closed();
  await pass(server, 5 * MINUTE_MS);
  expect(await queue.poll()).toMatchObject(gone(queue));
});

const loggedMessages = (server: TestServer) =>
  [...realmOf(server).reader.events.range({})].filter(([, entry]) => entry.event.type === 'message')
    .length;

test('what every queue has acknowledged leaves the log after 10 minutes, and not before', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.max, LONG_LIVED);
  for (const content of ['a', 'b', 'c']) await send(server, content);
  expect(await contentsOf(queue)).toEqual(['a', 'b', 'c']);
  expect(await queue.now()).toEqual([]);
  await pass(server, 9 * MINUTE_MS);
  expect(loggedMessages(server)).toBe(3);
  await pass(server, 2 * MINUTE_MS);
  expect(loggedMessages(server)).toBe(0);
  await send(server, 'd');
  expect(await contentsOf(queue)).toEqual(['d']);
});

test('what clients have acknowledged is stored before the log is trimmed by it, for however many queues', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max } = server.people;
  const queues: TestQueue[] = [];
  // These are more than one step writes.
  while (queues.length < 501) queues.push(await server.register(max, LONG_LIVED));
  await send(server, 'a');
  for (const queue of queues) {
    await queue.now();
    await queue.now();
  }
  const noted = () =>
    [...realmOf(server).reader.queues.range({})].map(([, row]) => row.acknowledged);
  await pass(server, 29_000);
  expect(new Set(noted())).toEqual(new Set([queues[0]?.state.last_event_id]));
  await pass(server, 2_000);
  await pass(server, 1_000);
  expect(new Set(noted())).toEqual(new Set(queues.map(({ lastEventId }) => lastEventId)));
});

test('what a queue may still need stays in the log for as long as the queue lives', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.max, LONG_LIVED);
  for (const content of ['a', 'b', 'c']) await send(server, content);
  const [first] = await queue.now();
  queue.lastEventId = first?.id ?? expect.fail();
  expect((await queue.poll({ dont_block: true })).body.events).toHaveLength(2);
  await pass(server, 60 * MINUTE_MS);
  expect(loggedMessages(server)).toBe(2);
  await server.restart();
  expect(await contentsOf(queue)).toEqual(['b', 'c']);
});

test('5: a queue that has fallen behind a log over its bound expires, and every other goes on without a gap', async () => {
  const server = await startServer({ channels: ['general'], logBytesMax: 64 * 1024 });
  const { max, mia } = server.people;
  const laggard = await server.register(max, LONG_LIVED);
  const reader = await server.register(max, LONG_LIVED);
  const quiet = await server.register(max, { ...LONG_LIVED, narrow: [['topic', 'quiet']] });
  const poll = quiet.poll();
  const unacknowledged = await server.register(mia, LONG_LIVED);
  const socket = await server.socket(mia, {
    query: `?queue_id=${unacknowledged.id}&last_event_id=-1`,
  });
  await socket.frame('hello');

  const sent = await fill(server);
  expect(await contentsOf(reader)).toEqual(sent);
  expect(await reader.now()).toEqual([]);
  const before = loggedMessages(server);
  // This time is too short for a heartbeat, and long enough for a trim.
  await pass(server, 31_000);
  expect(loggedMessages(server)).toBeLessThan(before);
  expect(loggedMessages(server)).toBeGreaterThan(0);

  expect(await laggard.poll({ dont_block: true })).toMatchObject(gone(laggard));
  expect(realmOf(server).reader.queues.get([laggard.id])).toBeUndefined();
  await server.post(server.people.mel, '/messages', { ...MESSAGE, topic: 'quiet' });
  expect((await poll).body.events).toMatchObject([{ message: { subject: 'quiet' } }]);
  expect(await contentsOf(reader)).toEqual(['soup?']);
  const heard: string[] = [];
  while (heard.length < sent.length + 1) {
    const { events } = await socket.frame('events');
    heard.push(...events.map((event: { message: { content: string } }) => event.message.content));
  }
  expect(heard).toEqual([...sent, 'soup?']);
});

test('5: a position that the log has lost is BAD_EVENT_QUEUE_ID, by poll and by socket, also after a restart', async () => {
  const server = await startServer({ channels: ['general'], logBytesMax: 64 * 1024 });
  const { max } = server.people;
  const queue = await server.register(max, LONG_LIVED);
  const other = await server.register(max, LONG_LIVED);
  const sent = await fill(server);
  // Both have been handed everything, and have said nothing of it.
  expect(await contentsOf(queue)).toEqual(sent);
  expect(await contentsOf(other)).toEqual(sent);
  const lost = { last_event_id: -1, dont_block: true };
  await pass(server, 31_000);

  expect(await queue.poll(lost)).toMatchObject(gone(queue));
  const socket = await server.socket(max, { query: `?queue_id=${queue.id}&last_event_id=-1` });
  expect(await socket.frame()).toMatchObject({ resumed: false, code: 'BAD_EVENT_QUEUE_ID' });
  expect(await queue.now()).toEqual([]);

  await server.restart();
  expect(await other.poll(lost)).toMatchObject(gone(other));
});
