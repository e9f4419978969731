import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { atOnce } from '../support/acts/at-once.ts';
import { basic, type TestQueue } from '../support/client.ts';
import { openSocketDoor } from '../support/requests/socket-door.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };
const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };

/** Returns the bytes that a client sends to come back to its queue. */
const handshake = ({ app: { port } }: TestServer, { as, id, lastEventId }: TestQueue) =>
  [
    `GET /api/v1/events/socket?queue_id=${id}&last_event_id=${lastEventId} HTTP/1.1`,
    `Host: test.localhost:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Authorization: ${basic(as)}`,
    '\r\n',
  ].join('\r\n');

function connection(server: TestServer): net.Socket {
  const socket = net.connect(server.app.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

test('the upgrade, the greeting and what the queue missed come in one piece', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await server.post(server.people.mel, '/messages', MESSAGE);
  const socket = connection(server);
  const first = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.write(handshake(server, queue));
  expect((await first).toString('latin1')).toMatch(
    /^HTTP\/1\.1 101 .*"type":"hello".*"type":"events".*soup\?/s,
  );
});

test('of many that come back at once to much that they missed, none is closed as it opens', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mel } = server.people;
  const queues = await Promise.all(
    Array.from({ length: 100 }, () => server.register(max, MESSAGES_ONLY)),
  );
  const content = 'soup? '.repeat(50);
  const { post } = atOnce(server);
  await Promise.all(
    Array.from({ length: 500 }, () => post(mel, '/messages', { ...MESSAGE, content })),
  );
  const closed: unknown[] = [];
  const comeBack = async ({ id, lastEventId }: TestQueue) => {
    const query = `?queue_id=${id}&last_event_id=${lastEventId}`;
    const socket = await server.socket(max, { query });
    const end = socket.closed().then((how) => closed.push(how));
    await Promise.race([end, socket.frame('events')]);
    socket.send({ type: 'ping' });
    await Promise.race([end, socket.frame('pong')]);
    expect(closed).toEqual([]);
    socket.close();
    await end;
    closed.pop();
  };
  for (let round = 0; round < 2; round++) await Promise.all(queues.map(comeBack));
});

test('clients that leave before it is their turn disturb nobody', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const leaving = Array.from({ length: 300 }, () => connection(server));
  for (const socket of leaving) socket.on('error', () => undefined);
  await Promise.all(
    leaving.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.on('connect', () => {
            socket.write(handshake(server, queue));
            resolve();
          });
        }),
    ),
  );
  await nextTurn();
  for (const socket of leaving) socket.destroy();
  const stays = await server.socket(max, { query: `?queue_id=${queue.id}&last_event_id=-1` });
  expect(await stays.frame('hello')).toMatchObject({ resumed: true });
  await server.post(server.people.mel, '/messages', MESSAGE);
  expect(await stays.frame('events')).toMatchObject({
    events: [{ message: { content: 'soup?' } }],
  });
  expect(server.bugs).toEqual([]);
});

test('whoever comes while the realm is closed is told when to come back', async () => {
  const server = await startServer();
  const { bugs, client } = await openSocketDoor(server, (host) => {
    const { realm, site } = server.app.realms.at(host);
    return { realm: realm && { ...realm, isOpen: () => false }, site };
  });
  const socket = await client.socket(server.people.mel);
  const { code, reason } = await socket.closed();
  expect(code).toBe(1001);
  expect(JSON.parse(reason)).toEqual({ retry_after_ms: 1_000 });
  expect(bugs).toEqual([]);
});

test('a socket that meets a bug as it begins is closed with 1011, and not for its credentials', async () => {
  const server = await startServer();
  const { bugs, client } = await openSocketDoor(server, () => {
    throw new Error('a bug');
  });
  const socket = await client.socket(server.people.mel);
  expect((await socket.closed()).code).toBe(1011);
  expect(bugs).toEqual(['GET /events/socket: Error: a bug']);
});
