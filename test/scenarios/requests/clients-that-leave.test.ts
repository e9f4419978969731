import { expect, test } from 'vitest';
import { basic } from '../../support/client.ts';
import {
  expectUnharmed,
  FORM,
  MESSAGE,
  sendHead,
  withGeneral,
} from '../../support/requests/bad-input.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import type { TestServer } from '../../support/start-server.ts';

/** The moments at which a client may go away, from the first byte to a moment after the last. */
const DEPARTURES = [
  { where: 'before anything', bytes: () => '' },
  { where: 'within the request line', bytes: () => 'POST /api/v1/mess' },
  { where: 'within the headers', bytes: (s: TestServer) => sendHead(s).slice(0, -10) },
  {
    where: 'before the body',
    bytes: (s: TestServer) => sendHead(s, `Content-Length: ${FORM.length}`),
  },
  {
    where: 'within the body',
    bytes: (s: TestServer) => sendHead(s, `Content-Length: ${FORM.length}`) + FORM.slice(0, 10),
  },
  {
    where: 'within a chunk',
    bytes: (s: TestServer) => `${sendHead(s, 'Transfer-Encoding: chunked')}ff\r\nabc`,
  },
];

test('a client may go away at any point of its request, and nothing has happened', async () => {
  const server = await withGeneral();
  for (const { bytes } of DEPARTURES) {
    const socket = await openRawSocket(server.app.port);
    socket.write(bytes(server));
    // The server has read the bytes of this request before it answers another one.
    await server.get(server.people.mel, '/users/me');
    socket.destroy();
    await socket.closed();
  }
  await expectUnharmed(server);
});

test('a client that goes away right after its request has sent its message, once', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, { event_types: ['message'] });
  const count = 20;
  for (let index = 0; index < count; index++) {
    const socket = await openRawSocket(server.app.port);
    socket.write(sendHead(server, `Content-Length: ${FORM.length}`) + FORM);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await socket.closed();
  }
  const heard: number[] = [];
  while (heard.length < count) {
    for (const event of await queue.next()) heard.push(event['message'].id);
  }
  expect(heard).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(server.bugs).toEqual([]);
});

test('clients that go away while their polls wait leave their queues as they were', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'] });
  const poll = [
    `GET /api/v1/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId} HTTP/1.1`,
    'Host: test.localhost',
    `Authorization: ${basic(max)}`,
    '\r\n',
  ].join('\r\n');
  for (const _ of Array(10)) {
    const socket = await openRawSocket(server.app.port);
    socket.write(poll);
    await server.get(mel, '/users/me');
    socket.destroy();
    await socket.closed();
  }
  // One more client goes away while it is answered.
  const last = await openRawSocket(server.app.port);
  last.write(poll);
  await server.get(mel, '/users/me');
  const sent = server.post(mel, '/messages', MESSAGE);
  last.destroy();
  await sent;
  expect(await queue.now()).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('a second request on a connection whose poll waits ends the connection, and loses nothing', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'] });
  const head = `HTTP/1.1\r\nHost: test.localhost\r\nAuthorization: ${basic(max)}\r\n\r\n`;
  const socket = await openRawSocket(server.app.port);
  socket.write(`GET /api/v1/events?queue_id=${queue.id}&last_event_id=-1 ${head}`);
  await server.get(mel, '/users/me');
  socket.write(`GET /api/v1/users/me ${head}`);
  await socket.closed();
  await server.post(mel, '/messages', MESSAGE);
  expect(await queue.next()).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('sockets that break off within a frame are forgotten', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  for (const bytes of [[0x81], [0x81, 0xfe], [0x81, 0xff, 0, 0, 0, 0, 0xff], [0xff, 0xff, 0xff]]) {
    const socket = await openRawSocket(server.app.port);
    socket.write(
      [
        'GET /api/v1/events/socket HTTP/1.1',
        'Host: test.localhost',
        `Authorization: ${basic(mel)}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '\r\n',
      ].join('\r\n'),
    );
    expect((await socket.answer()).status).toBe(101);
    socket.write(Buffer.from(bytes));
    await server.get(mel, '/users/me');
    socket.destroy();
    await socket.closed();
  }
  await expectUnharmed(server);
});
