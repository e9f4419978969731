import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openChat, QUICK, reaches } from '../support/client-library/open-chat.ts';
import { eventsOf, refusal, scriptedServer } from '../support/client-library/scripted-server.ts';
import type { Person } from '../support/users.ts';

const MEL: Person = { id: 1, email: 'mel@example.com', fullName: 'Mel', apiKey: 'Schlüssel' };
const AT = { url: 'http://chat.example.com/' };

function open(options: Parameters<typeof openChat>[2] = {}) {
  const server = scriptedServer();
  return { server, ...openChat(AT, MEL, { ...server.options, ...options }) };
}

const ids = (events: readonly { readonly id: number }[]) => events.map(({ id }) => id);

test('hands each event on once, whatever the server repeats', async () => {
  const { server, events } = open();
  const socket = await server.socket(1);
  expect(socket.url).toBe('ws://chat.example.com/api/v1/events/socket?queue_id=q1&last_event_id=0');
  socket.greet();
  socket.say(eventsOf(1, 2, 5));
  socket.say(eventsOf(2, 5, 6));
  expect(ids(events)).toEqual([1, 2, 5, 6]);
  socket.end(1006);
  const next = await server.socket(2);
  expect(next.url).toContain('last_event_id=6');
  next.greet();
  next.say(eventsOf(6, 9));
  expect(ids(events)).toEqual([1, 2, 5, 6, 9]);
  // A socket that was given up says nothing any more.
  socket.say(eventsOf(10));
  expect(ids(events)).toEqual([1, 2, 5, 6, 9]);
});

test('a key is sent with each request, and offered to a socket as a protocol', async () => {
  const { server } = open();
  const { protocols } = await server.socket(1);
  const words = `${MEL.email}:${MEL.apiKey}`;
  const expected = Buffer.from(words).toString('base64');
  expect(server.last).toMatchObject({
    headers: { authorization: `Basic ${expected}` },
    credentials: 'omit',
  });
  expect(protocols[0]).toBe('chat.v1.json');
  expect(protocols[1]).toMatch(/^auth\.basic\.[\w-]+$/);
  expect(Buffer.from(protocols[1]?.slice(11) ?? '', 'base64url').toString()).toBe(words);
});

test('an address that is none is refused at once', () => {
  expect(() => openChat({ url: 'chat.example.com' }, MEL)).toThrow('Invalid URL');
});

test('a cookie is left to the browser', async () => {
  const { server } = open({ credentials: 'cookie' });
  expect((await server.socket(1)).protocols).toEqual(['chat.v1.json']);
  expect(server.last.credentials).toBe('same-origin');
  expect(server.last.headers).not.toHaveProperty('authorization');
});

test('acknowledges now and then, and at once after many events', async () => {
  const { server } = open({ timing: { ...QUICK, ackMs: 30 } });
  const socket = await server.socket(1);
  socket.greet();
  for (let id = 1; id <= 20; id += 1) socket.say(eventsOf(id));
  expect(socket.sent).toEqual([]);
  await expect.poll(() => socket.sent).toEqual([{ type: 'ack', last_event_id: 20 }]);
  socket.say(eventsOf(...Array.from({ length: 500 }, (_, index) => 21 + index)));
  expect(socket.sent[1]).toEqual({ type: 'ack', last_event_id: 520 });
});

test('says nothing over a socket that is closing, and goes by what ends it', async () => {
  const { server, events } = open({ timing: { ...QUICK, ackMs: 5 } });
  const socket = await server.socket(1);
  socket.greet();
  socket.say(eventsOf(1));
  socket.closing();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(socket).toMatchObject({ sent: [], isClosed: false });
  socket.end(1006);
  const next = await server.socket(2);
  next.greet();
  next.say(eventsOf(2));
  expect(ids(events)).toEqual([1, 2]);
  await expect.poll(() => next.sent).toEqual([{ type: 'ack', last_event_id: 2 }]);
});

test('leaves heartbeats out, and counts them', async () => {
  const { server, events } = open();
  const socket = await server.socket(1);
  socket.greet();
  socket.say({ type: 'events', events: [{ id: 7, type: 'heartbeat' }] });
  socket.end(1006);
  expect((await server.socket(2)).url).toContain('last_event_id=7');
  expect(events).toEqual([]);
});

test('registers again when others have taken its queue over three times in a row', async () => {
  const { server, chat, snapshots } = open();
  for (const count of [1, 2, 3]) {
    const socket = await server.socket(count);
    expect(socket.url).toContain('queue_id=q1');
    socket.greet();
    socket.end(4003);
  }
  const socket = await server.socket(4);
  expect(socket.url).toContain('queue_id=q2');
  socket.greet();
  expect(chat.status.state).toBe('started-anew');
  expect(snapshots()).toBe(2);
});

test('asks over HTTP what is wrong with its account, before it believes a socket', async () => {
  const { server, chat } = open();
  (await server.socket(1)).end(4001, 'the account is deactivated');
  // It is let in all the same.
  const socket = await server.socket(2);
  server.answer('/events', refusal(401, 'USER_DEACTIVATED'));
  socket.greet();
  socket.end(4001);
  await reaches(chat, 'ended');
  expect(chat.status.error).toMatchObject({ code: 'USER_DEACTIVATED' });
});

test('is closed at once while it waits, and says nothing more', async () => {
  const { server, chat, states } = open({ timing: { retryMs: 60_000 }, random: () => 1 });
  server.answer('/register', 'no network');
  await reaches(chat, 'reconnecting');
  chat.close();
  chat.close();
  await wait(20);
  expect(server.requests).toEqual(['POST /register']);
  expect(states).toEqual(['connecting', 'reconnecting', 'ended']);
  expect(chat.status.retryAt).toBeUndefined();
  await expect(chat.call('GET', '/users/me')).rejects.toThrow('closed');
  const message = { type: 'channel', to: 'general', topic: 'x', content: 'x' } as const;
  expect(() => chat.send(message)).toThrow('closed');
});

test('waits for as long as a server that stops says', async () => {
  const { server, chat } = open();
  const socket = await server.socket(1);
  socket.greet();
  const before = Date.now();
  socket.end(1001, '{"retry_after_ms":60000}');
  await reaches(chat, 'reconnecting');
  expect(chat.status.retryAt).toBeGreaterThanOrEqual(before + 60_000);
  await wait(50);
  expect(server.sockets).toHaveLength(1);
  chat.retryNow();
  (await server.socket(2)).greet();
  expect(chat.status).toMatchObject({ state: 'caught-up' });
  expect(chat.status.retryAt).toBeUndefined();
});

test('pauses grow up to a bound, at random, and begin again after a good connection', async () => {
  let now = 1_000_000;
  const { server, chat } = open({
    random: () => 1,
    now: () => now,
    timing: { retryMs: 1, retryMaxMs: 16 },
  });
  const pauses: number[] = [];
  chat.on('status', ({ retryAt }) => retryAt !== undefined && pauses.push(retryAt - now));
  for (let count = 1; count <= 7; count += 1) {
    const socket = await server.socket(count);
    socket.greet();
    socket.end(1006);
  }
  await server.socket(8);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 16, 16]);
  const socket = await server.socket(8);
  socket.greet();
  now += 5_000;
  socket.end(1006);
  await server.socket(9);
  expect(pauses.at(-1)).toBe(1);
});

test('a server that forgets each queue at once is not asked for one after the other', async () => {
  const { server, chat } = open({ random: () => 1, timing: { retryMs: 50 } });
  chat.on('status', () => undefined);
  for (let count = 1; count <= 3; count += 1) {
    (await server.socket(count)).say({ type: 'hello', resumed: false });
  }
  const registered = server.requests.filter((request) => request === 'POST /register').length;
  expect(registered).toBe(3);
  await reaches(chat, 'reconnecting');
});

test('asks a quiet connection for a sign of life, and leaves one that gives none', async () => {
  const { server, states } = open({ timing: { silenceMs: 40, pongMs: 40 } });
  const socket = await server.socket(1);
  socket.greet();
  await expect.poll(() => socket.sent).toEqual([{ type: 'ping' }]);
  socket.say({ type: 'pong' });
  await expect.poll(() => socket.sent).toHaveLength(2);
  (await server.socket(2)).greet();
  expect(socket.isClosed).toBe(true);
  expect(states).toEqual(['connecting', 'live', 'reconnecting', 'caught-up']);
});

test('leaves a connection whose frames are broken', async () => {
  const { server, events } = open();
  const socket = await server.socket(1);
  socket.greet();
  socket.say('{"type":"eve');
  (await server.socket(2)).greet();
  expect(socket.isClosed).toBe(true);
  expect(events).toEqual([]);
});

test('pauses a connection whose events a loop does not take, and resumes it', async () => {
  const { server, chat } = open();
  const first = await server.socket(1);
  first.greet();
  const loop = chat.events();
  const next = loop.next();
  first.say(eventsOf(...Array.from({ length: 9_999 }, (_, index) => 1 + index)));
  expect(first.isClosed).toBe(false);
  await next;
  first.say(eventsOf(10_000, 10_001));
  expect(first.isClosed).toBe(true);
  await wait(30);
  expect(server.sockets).toHaveLength(1);
  for (let id = 2; id <= 10_001; id += 1) expect((await loop.next()).value?.id).toBe(id);
  const last = loop.next();
  const second = await server.socket(2);
  expect(second.url).toContain('last_event_id=10001');
  second.greet();
  second.say(eventsOf(10_002));
  expect((await last).value?.id).toBe(10_002);
  await loop.return();
});

test('an acknowledgement waits for the loops', async () => {
  const { server, chat } = open();
  const socket = await server.socket(1);
  socket.greet();
  const loop = chat.events();
  const next = loop.next();
  socket.say(eventsOf(1, 2, 3));
  await next;
  await wait(60);
  expect(socket.sent).toEqual([]);
  await loop.next();
  await loop.next();
  socket.say(eventsOf(4));
  await expect.poll(() => socket.sent.at(-1)).toEqual({ type: 'ack', last_event_id: 2 });
  await loop.return();
  socket.say(eventsOf(5));
  await expect.poll(() => socket.sent.at(-1)).toEqual({ type: 'ack', last_event_id: 5 });
});

test('an error of a listener reaches the program, and no other listener', async () => {
  const { server, chat, events } = open();
  const errors: unknown[] = [];
  const seen = (error: unknown) => errors.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', seen);
  chat.on('event', () => {
    throw new Error('a mistake');
  });
  const socket = await server.socket(1);
  socket.greet();
  socket.say(eventsOf(1, 2));
  expect(ids(events)).toEqual([1, 2]);
  await wait(10);
  process.off('uncaughtException', seen);
  for (const listener of others) process.on('uncaughtException', listener);
  expect(errors.map(String)).toEqual(['Error: a mistake', 'Error: a mistake']);
});

test('what a proxy says instead of the server is no answer', async () => {
  const { server, chat, states } = open();
  const socket = await server.socket(1);
  socket.greet();
  server.answer('/user_uploads', { status: 502, body: '<html>Bad gateway</html>' });
  await expect(chat.call('POST', '/user_uploads', new FormData())).rejects.toMatchObject({
    name: 'NetworkError',
    outcome: 'unknown',
  });
  server.answer('/user_uploads', { status: 200, body: '<html>Please log in</html>' });
  await expect(chat.call('POST', '/user_uploads', new FormData())).rejects.toThrow('200');
  server.answer(
    '/user_uploads',
    { status: 503, body: 'no server' },
    refusal(503, 'SERVER_STOPPING'),
  );
  expect(await chat.call('POST', '/user_uploads', new FormData())).toMatchObject({ msg: '' });
  server.answer('/user_uploads', refusal(507, 'STORAGE_FULL'));
  await expect(chat.call('POST', '/user_uploads', new FormData())).rejects.toMatchObject({
    status: 507,
  });
  expect(states).toEqual(['connecting', 'live']);
});

test('a request that fails while the connection is up waits before it is repeated', async () => {
  const { server, chat } = open({ WebSocket: null, timing: { retryMs: 20 }, random: () => 1 });
  await reaches(chat, 'live');
  server.answer('/users/me', 'no network', 'no network', 'no network');
  const before = Date.now();
  await chat.call('GET', '/users/me');
  expect(Date.now() - before).toBeGreaterThanOrEqual(20 + 40 + 80 - 3);
});

test('polls where a socket may not even be made', async () => {
  class Forbidden {
    constructor() {
      throw new Error('an encrypted page may not open it');
    }
  }
  const { chat } = open({ WebSocket: Forbidden as never });
  await reaches(chat, 'live');
  expect(chat.status.transport).toBe('poll');
});

test('a message that the server cannot carry out is given up after some attempts', async () => {
  const { server, chat } = open({ WebSocket: null });
  await reaches(chat, 'live');
  const bug = { status: 500, body: { result: 'error', msg: 'Internal server error' } };
  server.answer('/messages', bug, bug, bug, bug, bug);
  const entry = chat.send({ type: 'channel', to: 'general', topic: 'x', content: 'x' });
  await expect(entry.sent).rejects.toMatchObject({ status: 500 });
  expect(entry.state).toBe('refused');
  expect(server.requests.filter((request) => request === 'POST /messages')).toHaveLength(5);
});
