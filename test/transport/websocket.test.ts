import { pack, unpack } from 'msgpackr';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { basic, type TestQueue, type TestSocket } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };
const FRAME_BYTES_MAX = 1024 * 1024;

const withGeneral = (env: Record<string, string> = {}) =>
  startServer({ channels: ['general'], env });

const send = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', { ...MESSAGE, content });

/** A socket on a queue, greeted. */
async function attach(server: TestServer, queue: TestQueue, lastEventId?: number) {
  const position = lastEventId ?? queue.lastEventId;
  const socket = await server.socket(queue.as, {
    query: `?queue_id=${queue.id}&last_event_id=${position}`,
  });
  expect(await socket.frame()).toEqual({
    type: 'hello',
    queue_id: queue.id,
    last_event_id: position,
    resumed: true,
  });
  return socket;
}

const contentsOf = (frame: { [key: string]: unknown }) =>
  (frame['events'] as { message: { content: string } }[]).map(({ message }) => message.content);

/** The answer to a ping comes after everything that was due before it. */
async function settled(socket: TestSocket) {
  socket.send({ type: 'ping' });
  await socket.frame('pong');
}

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

test('more than 1,000 unanswered requests are refused one by one', async () => {
  const server = await withGeneral();
  const socket = await server.socket(server.people.mel);
  const frame = { type: 'request', method: 'POST', path: '/messages', params: MESSAGE };
  for (let id = 0; id < 1_500; id++) socket.send({ ...frame, id });
  const statuses: number[] = [];
  while (statuses.length < 1_500) statuses.push((await socket.frame('reply'))['status']);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1_000);
  expect(new Set(statuses)).toEqual(new Set(statuses.includes(400) ? [200, 400] : [200]));
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

/** Speaks msgpack alone. */
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

test('without configured origins every one may connect', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await settled(await server.socket(mel, { headers: { origin: 'https://anywhere.example.com' } }));
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
