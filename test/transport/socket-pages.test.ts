import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withGeneral } from '../support/requests/sockets.ts';

const STORED = 120;
const CONTENT = 'a '.repeat(4_950);
/**
 * These pages have 80 MB together, five times as much as the socket library holds for one socket
 * before it drops frames.
 */
const PAGES = 70;
const READS_NOTHING_MS = 500;

test('a client that asks for more than it has read yet is answered all of it, in order, and never cut off', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  for (let sent = 0; sent < STORED; sent += 20) {
    const sending = Array.from({ length: 20 }, () =>
      server.post(mel, '/messages', {
        type: 'channel',
        to: 'general',
        topic: 'long',
        content: CONTENT,
      }),
    );
    for (const { status } of await Promise.all(sending)) expect(status).toBe(200);
  }
  const socket = await server.socket(max);
  socket.ws.pause();
  for (let id = 0; id < PAGES; id++) {
    const params = { anchor: 'newest', num_before: STORED, num_after: 0 };
    socket.send({ type: 'request', id, method: 'GET', path: '/messages', params });
  }
  // In this time the server answers everything that it can without being read.
  await delay(READS_NOTHING_MS);
  expect((await server.get(mel, '/users/me')).status).toBe(200);
  socket.ws.resume();
  for (let id = 0; id < PAGES; id++) {
    const { id: answered, status, body } = await socket.frame('reply');
    expect({ answered, status, count: body.messages.length }).toEqual({
      answered: id,
      status: 200,
      count: STORED,
    });
  }
  expect(socket.ws.readyState).toBe(socket.ws.OPEN);
});
