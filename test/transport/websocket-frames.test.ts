import { pack, unpack } from 'msgpackr';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { basic } from '../support/client.ts';
import {
  contentsOf,
  MESSAGE,
  MESSAGES_ONLY,
  send,
  settled,
  withGeneral,
} from '../support/requests/sockets.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const FRAME_BYTES_MAX = 1024 * 1024;

test('a register frame is answered as POST /register is, and events follow', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const socket = await server.socket(max);
  const params = { event_types: ['message'], fetch_event_types: ['realm_user'], unknown: 1 };
  socket.send({ type: 'register', params });
  const registered = await socket.frame();
  const { queue_id, last_event_id, ...state } = registered;
  const other = (await server.register(max, params)).state;
  expect(state).toEqual({
    ...other,
    type: 'registered',
    queue_id: undefined,
    last_event_id: undefined,
  });
  await send(server, 'hello');
  expect(contentsOf(await socket.frame('events'))).toEqual(['hello']);
  expect((await server.delete(max, '/events', { queue_id })).status).toBe(200);
  expect(last_event_id).toEqual(expect.any(Number));
});

test('a registration that is refused is an error frame, and the socket stays', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  socket.send({ type: 'register', params: { narrow: [['sorcery', 'x']] } });
  expect(await socket.frame()).toMatchObject({
    type: 'error',
    code: 'BAD_REQUEST',
    msg: 'Operator sorcery not supported.',
  });
  await settled(socket);
});

test('a client that leaves while it registers leaves a queue that expires', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  socket.send({ type: 'register', params: { fetch_event_types: [] } });
  socket.ws.terminate();
  await socket.closed();
  const realm = server.app.realms.named('test') ?? expect.fail();
  await expect.poll(() => realm.queues.all().size).toBe(1);
  server.clock.advance(20 * 60_000);
  expect(realm.queues.all().size).toBe(0);
});

test('a socket that registers again leaves its first queue', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const socket = await server.socket(max);
  socket.send({ type: 'register', params: MESSAGES_ONLY });
  const first = await socket.frame('registered');
  socket.send({ type: 'register', params: MESSAGES_ONLY });
  await socket.frame('registered');
  await send(server, 'once');
  expect(contentsOf(await socket.frame('events'))).toEqual(['once']);
  await settled(socket);
  expect(socket.frames).toEqual([]);
  const queue = server.queue(max, String(first['queue_id']), Number(first['last_event_id']));
  expect(await queue.now()).toHaveLength(1);
});

test('any endpoint is called over a socket, and answered with its status and body', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const socket = await server.socket(mel);
  const request = (id: unknown, method: string, path: string, params?: object) =>
    socket.send({ type: 'request', id, method, path, ...(params && { params }) });

  request(1, 'POST', '/messages', { ...MESSAGE, unknown: 1 });
  expect(await socket.frame()).toMatchObject({
    type: 'reply',
    id: 1,
    status: 200,
    body: { result: 'success', msg: '', id: 1, ignored_parameters_unsupported: ['unknown'] },
  });
  request('two', 'post', '/messages', { ...MESSAGE, to: [999] });
  expect(await socket.frame()).toMatchObject({
    id: 'two',
    status: 400,
    body: { result: 'error', code: 'STREAM_DOES_NOT_EXIST', stream_id: 999 },
  });
  request(3, 'GET', '/users/me');
  const { body } = await server.get(mel, '/users/me');
  expect(await socket.frame()).toEqual({ type: 'reply', id: 3, status: 200, body });
  request(4, 'GET', '/nothing');
  expect(await socket.frame()).toMatchObject({ id: 4, status: 404, body: { code: 'NOT_FOUND' } });
  request(5, 'PUT', '/messages');
  expect(await socket.frame()).toMatchObject({ id: 5, status: 405 });
  request(6, 'OPTIONS', '/messages');
  expect(await socket.frame()).toMatchObject({ id: 6, status: 204 });
  request(7, 'POST', '/messages');
  expect(await socket.frame()).toMatchObject({
    id: 7,
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'type' },
  });
});

test('parameters of a request are values or the text that a form would have', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  const queue = await server.register(mel, MESSAGES_ONLY);
  const socket = await server.socket(mel);
  const params = { type: 'direct', to: [max.id], content: 'psst', read_by_sender: true };
  socket.send({ type: 'request', id: 1, method: 'POST', path: '/messages', params });
  await socket.frame('reply');
  const asText = { ...params, to: JSON.stringify([max.id]), read_by_sender: 'false' };
  socket.send({ type: 'request', id: 2, method: 'POST', path: '/messages', params: asText });
  expect(await socket.frame('reply')).toMatchObject({ status: 200 });
  expect((await queue.now()).map((event) => event['flags'])).toEqual([['read'], []]);
});

test('a request with an idempotency_key is carried out once', async () => {
  const server = await withGeneral();
  const socket = await server.socket(server.people.mel);
  for (const id of [1, 2]) {
    const frame = { type: 'request', id, method: 'POST', path: '/messages', params: MESSAGE };
    socket.send({ ...frame, idempotency_key: 'same' });
    expect((await socket.frame('reply'))['body'].id).toBe(1);
  }
});

test('a poll over a socket is answered at once', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.mel, MESSAGES_ONLY);
  const socket = await server.socket(server.people.mel);
  const poll = (id: number) =>
    socket.send({
      type: 'request',
      id,
      method: 'GET',
      path: '/events',
      params: { queue_id: queue.id, last_event_id: queue.lastEventId },
    });
  poll(1);
  expect((await socket.frame('reply'))['body'].events).toEqual([]);
  await send(server, 'one');
  poll(2);
  expect((await socket.frame('reply'))['body'].events).toHaveLength(1);
});

test('every one of 1,500 requests at once is answered, with success or as one too many', async () => {
  const server = await withGeneral();
  const socket = await server.socket(server.people.mel);
  const frame = { type: 'request', method: 'POST', path: '/messages', params: MESSAGE };
  for (let id = 0; id < 1_500; id++) socket.send({ ...frame, id });
  const statuses = new Map<unknown, unknown>();
  while (statuses.size < 1_500) {
    const { id, status } = await socket.frame('reply');
    expect(statuses.has(id)).toBe(false);
    statuses.set(id, status);
  }
  const sent = Array.from(statuses).filter(([, status]) => status === 200);
  expect(sent.length).toBeGreaterThanOrEqual(1_000);
  for (const [, status] of statuses) expect([200, 400]).toContain(status);
});

test.each([
  { why: 'not JSON', frame: 'hello', msg: 'The frame is not JSON' },
  { why: 'empty', frame: '', msg: 'The frame is not JSON' },
  { why: 'no object', frame: '5', msg: /^Unknown frame type/ },
  { why: 'null', frame: 'null', msg: /^Unknown frame type/ },
  { why: 'a list', frame: '[]', msg: /^Unknown frame type/ },
  { why: 'no type', frame: '{}', msg: /^Unknown frame type/ },
  { why: 'an unknown type', frame: '{"type":"dance"}', msg: 'Unknown frame type: dance' },
  { why: 'a type that is no text', frame: '{"type":{"toString":1}}', msg: /^Unknown frame type/ },
  { why: 'a long type', frame: `{"type":"${'x'.repeat(100_000)}"}`, msg: /^Unknown frame type/ },
  { why: 'ack of nothing', frame: '{"type":"ack"}', msg: 'The ack frame is malformed' },
  {
    why: 'ack of text',
    frame: '{"type":"ack","last_event_id":"1"}',
    msg: /ack frame is malformed/,
  },
  { why: 'request of nothing', frame: '{"type":"request"}', msg: /request frame is malformed/ },
  {
    why: 'request without id',
    frame: '{"type":"request","method":"GET","path":"/users/me"}',
    msg: 'The request frame is malformed',
  },
  {
    why: 'request with a path that is none',
    frame: '{"type":"request","id":1,"method":"GET","path":"users/me"}',
    msg: 'The request frame is malformed',
  },
  { why: 'register of a list', frame: '{"type":"register","params":[]}', msg: /is malformed/ },
])(
  'a frame that is not understood is an error frame, and the socket stays: $why',
  async (given) => {
    const server = await startServer();
    const socket = await server.socket(server.people.mel);
    socket.send(given.frame);
    expect(await socket.frame()).toMatchObject({
      type: 'error',
      code: 'BAD_REQUEST',
      msg: typeof given.msg === 'string' ? given.msg : expect.stringMatching(given.msg),
    });
    await settled(socket);
    expect(server.bugs).toEqual([]);
  },
);

test('values that no form could hold are refused, and the socket stays', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const json = await server.socket(mel);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const request = (params: string) =>
    `{"type":"request","id":1,"method":"POST","path":"/messages","params":${params}}`;
  json.send(request(`{"to":${deep}}`));
  expect(await json.frame()).toMatchObject({ type: 'reply', id: 1, status: 400 });
  json.send(request(JSON.stringify({ ...MESSAGE, content: 'half \ud83d' })));
  expect(await json.frame()).toMatchObject({ type: 'reply', id: 1, status: 400 });
  json.send(`{"type":"register","params":{"narrow":${deep}}}`);
  expect(await json.frame()).toMatchObject({ type: 'error', code: 'BAD_REQUEST' });
  await settled(json);

  const binary = await openBinary(server, mel);
  binary.ws.send(pack({ type: 1n << 62n }));
  expect(await binary.frame()).toMatchObject({ type: 'error', code: 'BAD_REQUEST' });
  const huge = { type: 'request', id: 2, method: 'POST', path: '/messages' };
  binary.ws.send(pack({ ...huge, params: { to: 1n << 62n } }));
  expect(await binary.frame()).toMatchObject({ type: 'reply', id: 2, status: 400 });
  expect(server.bugs).toEqual([]);
});

interface BinarySocket {
  readonly ws: WebSocket;
  frame(): Promise<Record<string, unknown>>;
}

/** Opens a socket that speaks only msgpack. */
async function openBinary(server: TestServer, as: Person, query = ''): Promise<BinarySocket> {
  const url = `ws://127.0.0.1:${server.app.port}/api/v1/events/socket${query}`;
  const ws = new WebSocket(url, ['chat.v1.msgpack'], {
    headers: { host: 'test.localhost', authorization: basic(as) },
  });
  const frames: Record<string, unknown>[] = [];
  let wake: () => void = () => undefined;
  ws.on('message', (data: Buffer, isBinary) => {
    frames.push(isBinary ? unpack(data) : { text: data.toString() });
    wake();
  });
  await new Promise((resolve, reject) => {
    ws.on('open', resolve);
    ws.on('error', reject);
  });
  return {
    ws,
    async frame() {
      for (;;) {
        const frame = frames.shift();
        if (frame !== undefined) return frame;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

test('with chat.v1.msgpack every frame is binary, of the same objects', async () => {
  const server = await withGeneral();
  const { max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const text = await server.register(max, MESSAGES_ONLY);
  const query = `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const socket = await openBinary(server, max, query);
  expect(socket.ws.protocol).toBe('chat.v1.msgpack');
  expect(await socket.frame()).toEqual({
    type: 'hello',
    queue_id: queue.id,
    last_event_id: queue.lastEventId,
    resumed: true,
  });
  await send(server, 'live');
  expect(await socket.frame()).toEqual({ type: 'events', events: await text.next() });

  const frame = { type: 'request', id: 1, method: 'POST', path: '/messages' };
  socket.ws.send(pack({ ...frame, params: { type: 'direct', to: [max.id], content: 'note' } }));
  expect(await socket.frame()).toMatchObject({ type: 'reply', id: 1, status: 200 });
  expect(await socket.frame()).toMatchObject({ type: 'events' });
  socket.ws.send(pack({ type: 'ping' }));
  expect(await socket.frame()).toEqual({ type: 'pong' });
  socket.ws.send(Buffer.from([0xc1, 0xff]));
  expect(await socket.frame()).toMatchObject({ type: 'error', msg: 'The frame is not msgpack' });
  socket.ws.send(pack({ type: 'dance' }));
  expect(await socket.frame()).toMatchObject({ type: 'error', code: 'BAD_REQUEST' });
});

test('a frame of 1 MiB is read, and one byte more closes with 4009', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  const ping = '{"type":"ping","padding":""}';
  const padded = (bytes: number) => ping.replace('""', `"${'x'.repeat(bytes - ping.length)}"`);
  socket.send(padded(FRAME_BYTES_MAX));
  expect(await socket.frame()).toEqual({ type: 'pong' });
  socket.send(padded(FRAME_BYTES_MAX + 1));
  expect((await socket.closed()).code).toBe(4009);
});
