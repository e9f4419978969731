import { expect, test } from 'vitest';
import type { TestSocket } from '../support/client.ts';
import {
  attach,
  contentsOf,
  MESSAGES_ONLY,
  send,
  settled,
  withGeneral,
} from '../support/requests/sockets.ts';
import { startServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const offered = ({ email, apiKey }: Person) =>
  `auth.basic.${Buffer.from(`${email}:${apiKey}`).toString('base64url')}`;

test('credentials come in the header', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  expect(socket.ws.protocol).toBe('chat.v1.json');
  await settled(socket);
});

test('credentials come in a subprotocol, which is not the one agreed on', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (const protocols of [
    ['chat.v1.json', offered(mel)],
    [offered(mel), 'chat.v1.json'],
  ]) {
    const socket = await server.socket(null, { protocols });
    expect(socket.ws.protocol).toBe('chat.v1.json');
    await settled(socket);
  }
});

test.each([
  { why: 'none', headers: {}, protocols: ['chat.v1.json'] },
  { why: 'a wrong key', headers: { authorization: 'Basic bWVsOng=' }, protocols: ['chat.v1.json'] },
  { why: 'another scheme', headers: { authorization: 'Bearer x' }, protocols: ['chat.v1.json'] },
  { why: 'nonsense', headers: {}, protocols: ['chat.v1.json', 'auth.basic.____'] },
])('a socket without credentials is closed with 4001 and the reason: $why', async (options) => {
  const server = await startServer();
  const { headers, protocols } = options;
  const socket = await server.socket(null, { headers: { ...headers }, protocols });
  const { code, reason } = await socket.closed();
  expect(code).toBe(4001);
  expect(reason).not.toBe('');
  expect(server.bugs).toEqual([]);
});

test('a socket takes up a queue where its client was', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await send(server, 'before');
  const socket = await attach(server, queue);
  expect(contentsOf(await socket.frame('events'))).toEqual(['before']);
  await send(server, 'live');
  expect(contentsOf(await socket.frame('events'))).toEqual(['live']);
});

test('a socket without last_event_id continues from what was acknowledged', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  await send(server, 'taken');
  await queue.next();
  await queue.now();
  await send(server, 'not taken');
  const socket = await server.socket(queue.as, { query: `?queue_id=${queue.id}` });
  expect(await socket.frame()).toMatchObject({ type: 'hello', last_event_id: queue.lastEventId });
  expect(contentsOf(await socket.frame('events'))).toEqual(['not taken']);
});

test('acknowledged events are not given again to the next socket or poll', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const first = await attach(server, queue);
  await send(server, 'one');
  const { events } = await first.frame('events');
  await send(server, 'two');
  await first.frame('events');
  first.send({ type: 'ack', last_event_id: events[0].id });
  await settled(first);
  first.close();
  await first.closed();
  const stale = await queue.poll({ dont_block: true });
  expect(stale.body).toMatchObject({ code: 'BAD_REQUEST', msg: /already been pruned/ });
});

test('a socket that was lost is resumed without a gap or a repeat, with its acknowledgements or without', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const first = await attach(server, queue);
  await send(server, 'one');
  const { events } = await first.frame('events');
  first.ws.terminate();
  await send(server, 'two');
  const again = await attach(server, queue);
  const heard = contentsOf(await again.frame('events'));
  expect(heard).toEqual(['one', 'two']);
  again.close();
  await again.closed();
  const after = await attach(server, queue, events[0].id);
  expect(contentsOf(await after.frame('events'))).toEqual(['two']);
});

test.each([
  { why: 'unknown', query: () => '?queue_id=nothing&last_event_id=0', reason: /gone/ },
  {
    why: 'ahead of the log',
    query: (id: string) => `?queue_id=${id}&last_event_id=999999`,
    reason: /ahead of the log/,
  },
  { why: 'empty', query: () => '?queue_id=', reason: /gone/ },
])(
  'a queue that cannot be resumed is told so, and the socket may register: $why',
  async (given) => {
    const server = await withGeneral();
    const { max } = server.people;
    const queue = await server.register(max, MESSAGES_ONLY);
    const socket = await server.socket(max, { query: given.query(queue.id) });
    expect(await socket.frame()).toMatchObject({
      type: 'hello',
      resumed: false,
      code: 'BAD_EVENT_QUEUE_ID',
      reason: expect.stringMatching(given.reason),
    });
    socket.send({ type: 'register', params: MESSAGES_ONLY });
    await socket.frame('registered');
    await send(server, 'hello');
    expect(contentsOf(await socket.frame('events'))).toEqual(['hello']);
  },
);

test('a queue of somebody else looks gone', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const socket = await server.socket(mel, { query: `?queue_id=${queue.id}&last_event_id=0` });
  expect(await socket.frame()).toMatchObject({ resumed: false, code: 'BAD_EVENT_QUEUE_ID' });
});

test('an acknowledgement ahead of the log, or without a queue, is an error frame; a late one is nothing', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.max, MESSAGES_ONLY);
  const socket = await attach(server, queue);
  socket.send({ type: 'ack', last_event_id: 999_999 });
  expect(await socket.frame()).toMatchObject({ type: 'error', code: 'BAD_REQUEST' });
  await send(server, 'one');
  const { events } = await socket.frame('events');
  socket.send({ type: 'ack', last_event_id: events[0].id });
  socket.send({ type: 'ack', last_event_id: queue.lastEventId });
  await settled(socket);
  expect(socket.frames).toEqual([]);
  const bare = await server.socket(server.people.mel);
  bare.send({ type: 'ack', last_event_id: 1 });
  expect(await bare.frame()).toMatchObject({ type: 'error', code: 'BAD_EVENT_QUEUE_ID' });
});

test('only the configured origins may connect, when there is an Origin', async () => {
  const server = await startServer({
    env: { CONFAB_ALLOWED_ORIGINS: 'https://chat.example.com,https://other.example.com' },
  });
  const { mel } = server.people;
  await settled(await server.socket(mel));
  for (const origin of ['https://chat.example.com', 'https://other.example.com']) {
    await settled(await server.socket(mel, { headers: { origin } }));
  }
  for (const origin of ['https://evil.example.com', 'null', 'https://chat.example.com.evil.org']) {
    await expect(server.socket(mel, { headers: { origin } })).rejects.toThrow(/403/);
  }
});

test('without configured origins the own host may connect, and no other', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (const scheme of ['http', 'https']) {
    const origin = `${scheme}://test.localhost:${server.app.port}`;
    await settled(await server.socket(mel, { headers: { origin } }));
  }
  for (const origin of ['https://anywhere.example.com', 'null', 'http://test.localhost:1']) {
    await expect(server.socket(mel, { headers: { origin } })).rejects.toThrow(/403/);
  }
});

test('many sockets of many queues hear the same bytes', async () => {
  const server = await withGeneral();
  const { max, mia } = server.people;
  const sockets: TestSocket[] = [];
  for (const person of [max, mia, max]) {
    sockets.push(await attach(server, await server.register(person, MESSAGES_ONLY)));
  }
  await send(server, 'to all');
  const frames = await Promise.all(sockets.map((socket) => socket.frame('events')));
  expect(frames[1]).toEqual(frames[0]);
  expect(frames[2]).toEqual(frames[0]);
});
