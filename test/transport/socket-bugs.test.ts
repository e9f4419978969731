import { expect, test } from 'vitest';
import { openSocketDoor } from '../support/requests/socket-door.ts';
import { startServer } from '../support/start-server.ts';

/** A door behind which one part of the realm can be broken. */
async function openDoor() {
  const server = await startServer({ channels: ['general'] });
  const { realms } = server.app;
  const broken = { accounts: false, queues: false };
  const door = await openSocketDoor(server, (host) => {
    const { realm = expect.fail(), site } = realms.at(host);
    const { reader, queues } = realm;
    const users: typeof reader.users = {
      ...reader.users,
      get: (key) => (broken.accounts ? bug() : reader.users.get(key)),
    };
    const find: typeof queues.find = (id, userId) =>
      broken.queues ? bug() : queues.find(id, userId);
    const changed = { reader: { ...reader, users }, queues: { ...queues, find } };
    return { realm: { ...realm, ...changed }, site };
  });
  return { server, broken, ...door };
}

function bug(): never {
  throw new Error('a bug');
}

const CLOSED = { code: 1011, reason: 'Internal server error' };
const LOGGED = 'GET /events/socket: Error: a bug';

test('9: a bug while a socket begins is logged, and is no fault of its credentials', async () => {
  const { server, bugs, broken, client } = await openDoor();
  broken.accounts = true;
  const socket = await client.socket(server.people.mel);
  expect(await socket.closed()).toEqual(CLOSED);
  expect(bugs).toEqual([LOGGED]);
});

test('9: a bug in a frame is logged and closes its socket, and the others go on', async () => {
  const { server, bugs, broken, client } = await openDoor();
  const { mel, max } = server.people;
  const queue = await server.register(mel, { event_types: ['message'], fetch_event_types: [] });
  const query = `?queue_id=${queue.id}&last_event_id=-1`;
  const [socket, other] = [await client.socket(mel, { query }), await client.socket(max)];
  expect(await socket.frame()).toMatchObject({ type: 'hello', resumed: true });
  broken.queues = true;
  socket.send({ type: 'ack', last_event_id: queue.lastEventId });
  expect(await socket.closed()).toEqual(CLOSED);
  // The second one happens when the socket has to leave its queue.
  expect(bugs).toEqual([LOGGED, LOGGED]);
  other.send({ type: 'ping' });
  expect(await other.frame()).toEqual({ type: 'pong' });
});
