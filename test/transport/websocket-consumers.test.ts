import { expect, test } from 'vitest';
import {
  attach,
  contentsOf,
  MESSAGES_ONLY,
  send,
  settled,
  withGeneral,
} from '../support/requests/sockets.ts';

test('a newer socket takes over: the older one is closed with 4003, and hears nothing more', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const older = await attach(server, queue);
  const newer = await attach(server, queue);
  expect((await older.closed()).code).toBe(4003);
  await send(server, 'one');
  expect(contentsOf(await newer.frame('events'))).toEqual(['one']);
  expect(older.frames).toEqual([]);
});

test('a socket takes over from a parked poll, which is answered with nothing', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const poll = queue.poll();
  await server.get(server.people.max, '/users/me');
  const socket = await attach(server, queue);
  expect((await poll).body.events).toEqual([]);
  await send(server, 'one');
  expect(contentsOf(await socket.frame('events'))).toEqual(['one']);
});

test('a poll takes over from a socket, which is closed with 4003', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const socket = await attach(server, queue);
  const poll = queue.poll();
  expect((await socket.closed()).code).toBe(4003);
  await send(server, 'one');
  expect((await poll).body.events).toMatchObject([{ message: { content: 'one' } }]);
});

test('the close of a socket that was replaced does not disturb the one that replaced it', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const older = await attach(server, queue);
  const newer = await attach(server, queue);
  await older.closed();
  server.clock.advance(30_000);
  await settled(newer);
  await send(server, 'one');
  expect(contentsOf(await newer.frame('events'))).toEqual(['one']);
});

test('a socket whose queue is deleted is closed with 4002', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const socket = await attach(server, queue);
  await server.delete(max, '/events', { queue_id: queue.id });
  expect((await socket.closed()).code).toBe(4002);
});

test('a server that stops closes its sockets with 1001 and tells when to come back', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const attached = await attach(server, queue);
  const idle = await server.socket(server.people.mel);
  await server.restart();
  for (const socket of [attached, idle]) {
    const { code, reason } = await socket.closed();
    expect(code).toBe(1001);
    expect(JSON.parse(reason).retry_after_ms).toBeGreaterThan(0);
  }
  const again = await attach(server, queue);
  await send(server, 'after');
  expect(contentsOf(await again.frame('events'))).toEqual(['after']);
});

test('a heartbeat comes within a minute of silence, whatever the types of the queue, and keeps it alive', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const socket = await attach(server, queue);
  for (let minute = 0; minute < 15; minute++) {
    server.clock.advance(60_000);
    const { events } = await socket.frame('events');
    expect(events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }]);
    socket.send({ type: 'ack', last_event_id: events[0].id });
  }
  await send(server, 'still here');
  expect(contentsOf(await socket.frame('events'))).toEqual(['still here']);
});
