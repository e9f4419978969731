import { expect, test } from 'vitest';
import { INSPECTED_EVENTS_MAX } from '../../src/domain/limits/operator.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };
/** After a pause this long between two polls, a queue is detached. */
const POLL_PAUSE_MS = 20_000;

const turn = () => new Promise((resolve) => setImmediate(resolve));

function treeOf(server: TestServer) {
  const { state, realms } = server.app.inspect.tree();
  const [realm = expect.fail('a server without a realm')] = realms;
  return { server: state, realm };
}

const statesOf = (server: TestServer) => {
  const { channels, queues, detachedQueues } = treeOf(server).realm;
  return {
    channels: channels.map(({ channelId, state, listeners }) => ({ channelId, state, listeners })),
    queues: queues.map(({ userId, state, consumer }) => ({ userId, state, consumer })),
    detachedQueues,
  };
};

/** A poll that is known to wait. */
async function park(server: TestServer, userId: number, poll: () => Promise<unknown>) {
  const reply = poll();
  const isParked = () =>
    treeOf(server).realm.queues.some((queue) => queue.userId === userId && queue.consumer !== null);
  while (!isParked()) await turn();
  return reply;
}

async function listening() {
  const server = await startServer({ channels: ['general'] });
  const { ada, max, mia } = server.people;
  const polled = await server.register(max, MESSAGES_ONLY);
  const parked = { reply: park(server, max.id, () => polled.poll()) };
  const query = await server.register(mia, MESSAGES_ONLY);
  await parkedIn(server, 1);
  const socket = await server.socket(mia, {
    query: `?queue_id=${query.id}&last_event_id=${query.lastEventId}`,
  });
  expect(await socket.frame('hello')).toMatchObject({ resumed: true });
  return { server, ada, max, mia, parked, socket };
}

async function parkedIn(server: TestServer, count: number) {
  while (treeOf(server).realm.queues.length < count) await turn();
}

test('a running server is a tree of actors: the realm, its channels, the queues that are attached', async () => {
  const { server, max, mia } = await listening();
  const { server: state, realm } = treeOf(server);
  expect(state).toBe('ready');
  expect(realm).toMatchObject({ id: 1, name: 'test', detachedQueues: 0 });
  expect(realm.state).toEqual({ active: { housekeeping: 'waiting', scheduler: 'waiting' } });
  expect(statesOf(server)).toEqual({
    channels: [{ channelId: 1, state: 'active', listeners: 2 }],
    queues: [
      { userId: max.id, state: 'attached', consumer: 'poll' },
      { userId: mia.id, state: 'attached', consumer: 'socket' },
    ],
    detachedQueues: 0,
  });
  for (const queue of realm.queues) expect(queue.client).toEqual(expect.any(String));
});

test('a channel is archived and unarchived by events, and keeps its listeners', async () => {
  const { server, ada, parked, socket } = await listening();
  const channel = (state: string) => [{ channelId: 1, state, listeners: 2 }];
  expect((await server.delete(ada, '/streams/1')).status).toBe(200);
  expect(statesOf(server).channels).toEqual(channel('archived'));

  // The archiving was announced in the channel before: both have that message, and nothing else.
  const [event] = (await socket.frame('events'))['events'] as { message: { subject: string } }[];
  expect(event).toMatchObject({ type: 'message' });
  expect(await parked.reply).toMatchObject({ body: { events: [event] } });

  expect((await server.patch(ada, '/streams/1', { is_archived: false })).status).toBe(200);
  expect(statesOf(server).channels).toEqual(channel('active'));
});

test('a channel that is archived when somebody comes to listen starts as that', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, max } = server.people;
  await server.delete(ada, '/streams/1');
  const queue = await server.register(max, MESSAGES_ONLY);
  expect(statesOf(server)).toEqual({ channels: [], queues: [], detachedQueues: 1 });
  await queue.now();
  expect(statesOf(server).channels).toEqual([{ channelId: 1, state: 'archived', listeners: 1 }]);
});

test('detaching stops the actor of a queue, and the last of a channel ends the channel', async () => {
  const { server, ada, mia, socket, parked } = await listening();
  await server.delete(ada, '/streams/1');
  await parked.reply;
  server.clock.advance(POLL_PAUSE_MS);
  expect(statesOf(server)).toMatchObject({
    channels: [{ listeners: 1 }],
    queues: [{ userId: mia.id, state: 'attached', consumer: 'socket' }],
    detachedQueues: 1,
  });
  socket.ws.close();
  while (treeOf(server).realm.queues.some(({ consumer }) => consumer !== null)) await turn();
  server.clock.advance(POLL_PAUSE_MS);
  expect(statesOf(server)).toEqual({ channels: [], queues: [], detachedQueues: 2 });
});

test('what actors do is recorded while somebody inspects them, and only the newest of it is kept', async () => {
  const { server, ada } = await listening();
  const { inspect } = server.app;
  await server.delete(ada, '/streams/1');
  expect(inspect.events()).toEqual([]);

  inspect.start();
  await server.patch(ada, '/streams/1', { is_archived: false });
  const ofChannel = inspect.events().filter(({ actor }) => actor === 'realm 1, channel 1');
  expect(ofChannel.map(({ what, detail }) => [what, detail])).toEqual([
    ['got', 'unarchive'],
    ['is', 'active'],
  ]);
  for (let index = 0; index < INSPECTED_EVENTS_MAX / 2; index += 1) server.clock.advance(10_000);
  const events = inspect.events();
  expect(events.length).toBe(INSPECTED_EVENTS_MAX);
  const times = events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(events.some(({ actor }) => actor === 'realm 1, channel 1')).toBe(false);

  inspect.stop();
  server.clock.advance(10_000);
  expect(inspect.events()).toEqual([]);
});
