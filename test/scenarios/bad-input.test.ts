import fc from 'fast-check';
import { pack } from 'msgpackr';
import { expect, test } from 'vitest';
import { JSON_VALUES_MAX } from '../../src/domain/limits.ts';
import type { Endpoint } from '../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/raw-socket.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const FORM = new URLSearchParams(MESSAGE).toString();
const BODY_BYTES_MAX = 25 * 1024 * 1024;
const HEAD_BYTES_MAX = 64 * 1024;

const withGeneral = () => startServer({ channels: ['general'] });

/** The head of a send by mel, with these headers as they stand. */
const sendHead = (server: TestServer, ...headers: string[]) =>
  [
    'POST /api/v1/messages HTTP/1.1',
    'Host: test.localhost',
    `Authorization: ${basic(server.people.mel)}`,
    ...headers,
    '\r\n',
  ].join('\r\n');

/** Nothing happened, and the next request is answered as ever. */
async function expectUnharmed(server: TestServer) {
  const { mel } = server.people;
  const newest = { anchor: 'newest', num_before: 10, num_after: 0 };
  const { status, body } = await server.get(mel, '/messages', newest);
  expect({ status, messages: body.messages }).toEqual({ status: 200, messages: [] });
  expect((await server.post(mel, '/messages', MESSAGE)).status).toBe(200);
  expect(server.bugs).toEqual([]);
}

test.each([
  {
    why: 'two lengths that differ',
    headers: ['Content-Length: 3', `Content-Length: ${FORM.length}`],
    msg: 'Two Content-Length headers that differ',
  },
  { why: 'an empty length', headers: ['Content-Length: '], msg: 'Malformed Content-Length' },
  {
    why: 'an unknown encoding',
    headers: ['Transfer-Encoding: gzip'],
    msg: 'Unknown Transfer-Encoding',
  },
  {
    why: 'an encoding within another',
    headers: ['Transfer-Encoding: gzip, chunked'],
    msg: 'Unknown Transfer-Encoding',
  },
  {
    why: 'two encodings',
    headers: ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    msg: 'Unknown Transfer-Encoding',
  },
])('a body whose end is in doubt is refused, and the connection closed: $why', async (given) => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  // In chunks or not: where it ends is what is in doubt.
  const isEncoded = given.msg === 'Unknown Transfer-Encoding';
  socket.write(sendHead(server, ...given.headers) + (isEncoded ? '0\r\n\r\n' : FORM));
  expect(await socket.answer()).toMatchObject({
    status: 400,
    headers: { connection: 'close' },
    body: { result: 'error', code: 'BAD_REQUEST', msg: given.msg },
  });
  await socket.closed();
  await expectUnharmed(server);
});

test.each([
  {
    why: 'a length and an encoding',
    bytes: ['Content-Length: 3', 'Transfer-Encoding: chunked'],
    body: '0\r\n\r\n',
  },
  { why: 'a length that is none', bytes: ['Content-Length: 0x10'], body: FORM },
  { why: 'a length with a sign', bytes: ['Content-Length: -3'], body: FORM },
  { why: 'a length beyond all', bytes: [`Content-Length: ${'9'.repeat(30)}`], body: FORM },
  { why: 'an unknown encoding', bytes: ['Transfer-Encoding: gzip'], body: FORM },
  { why: 'a chunk that is none', bytes: ['Transfer-Encoding: chunked'], body: 'zz\r\nabc\r\n' },
])('a request that the library itself cannot read ends its connection: $why', async (given) => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  socket.write(sendHead(server, ...given.bytes) + given.body);
  await socket.closed();
  await expectUnharmed(server);
});

test('the same length twice is one', async () => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  const length = `Content-Length: ${FORM.length}`;
  socket.write(sendHead(server, length, length) + FORM);
  expect((await socket.answer()).body).toMatchObject({ result: 'success', id: 1 });
  socket.destroy();
});

test('a head of nearly 64 KB is read, and a larger one is refused in the form of the API', async () => {
  const server = await withGeneral();
  const padded = async (bytes: number, where: 'header' | 'query' | 'path') => {
    const socket = await openRawSocket(server.app.port);
    const padding = 'x'.repeat(bytes);
    const target =
      where === 'path'
        ? `/${padding}`
        : `/server_settings${where === 'query' ? `?x=${padding}` : ''}`;
    const header = where === 'header' ? `X-Padding: ${padding}\r\n` : '';
    socket.write(`GET /api/v1${target} HTTP/1.1\r\nHost: test.localhost\r\n${header}\r\n`);
    const { status, body } = await socket.answer();
    if (status === 431) await socket.closed();
    else socket.destroy();
    return { status, code: body.code };
  };
  for (const where of ['header', 'query', 'path'] as const) {
    const fits = await padded(HEAD_BYTES_MAX - 500, where);
    expect(fits.status, where).toBe(where === 'path' ? 404 : 200);
    const refused = await padded(HEAD_BYTES_MAX + 1, where);
    expect(refused, where).toEqual({ status: 431, code: 'HEADERS_TOO_LARGE' });
  }
  await expectUnharmed(server);
});

test.each(['with a length', 'in chunks'])(
  'a body of more than 25 MiB is refused as soon as it is over: %s',
  async (how) => {
    const server = await withGeneral();
    const socket = await openRawSocket(server.app.port);
    const isChunked = how === 'in chunks';
    const length = `Content-Length: ${2 * BODY_BYTES_MAX}`;
    socket.write(sendHead(server, isChunked ? 'Transfer-Encoding: chunked' : length));
    const part = Buffer.alloc(BODY_BYTES_MAX + 1, 'x');
    if (isChunked) socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    expect(await socket.answer()).toMatchObject({
      status: 413,
      body: { result: 'error', code: 'PAYLOAD_TOO_LARGE' },
    });
    await socket.closed();
    await expectUnharmed(server);
  },
);

test('a body of exactly 25 MiB is read', async () => {
  const server = await withGeneral();
  const body = `${FORM}&x=`.padEnd(BODY_BYTES_MAX, 'x');
  const reply = await server.request('POST', '/messages', { as: server.people.mel, body });
  expect(reply.body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['x'] });
});

const MALFORMED = [
  { method: 'POST', path: '/register', params: { narrow: '[' } },
  { method: 'POST', path: '/register', params: { narrow: '{"a":1}' } },
  { method: 'POST', path: '/register', params: { event_types: '[null]' } },
  { method: 'POST', path: '/register', params: { client_capabilities: 'null' } },
  { method: 'POST', path: '/register', params: { queue_lifespan_secs: '1e3' } },
  { method: 'GET', path: '/messages', params: { anchor: 'x', num_before: 1, num_after: 1 } },
  { method: 'GET', path: '/messages', params: { anchor: 1, num_before: -1, num_after: 1 } },
  {
    method: 'GET',
    path: '/messages',
    params: { anchor: 1, num_before: 1, num_after: 1, narrow: '[[["a"]]]' },
  },
  { method: 'GET', path: '/messages/x', params: {} },
  { method: 'GET', path: '/messages/99999999999999999999', params: {} },
  { method: 'POST', path: '/messages/flags', params: { messages: '[1', op: 'add', flag: 'read' } },
  {
    method: 'POST',
    path: '/messages/flags',
    params: { messages: '["1"]', op: 'add', flag: 'read' },
  },
  { method: 'POST', path: '/users/me/subscriptions', params: { subscriptions: '"general"' } },
  { method: 'POST', path: '/users/me/subscriptions', params: { subscriptions: '[{"name":1}]' } },
  {
    method: 'POST',
    path: '/users/me/subscriptions',
    params: { subscriptions: `${'['.repeat(50_000)}` },
  },
  { method: 'DELETE', path: '/users/me/subscriptions', params: { subscriptions: '[1]' } },
  { method: 'GET', path: '/users/me/abc/topics', params: {} },
  { method: 'GET', path: '/users/%FF', params: {} },
  { method: 'GET', path: '/users', params: { user_ids: '{}' } },
];

test('a parameter that is malformed or of the wrong type is refused', async () => {
  const server = await withGeneral();
  for (const { method, path, params } of MALFORMED) {
    const body = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const reply = await server.request(method, path, { as: server.people.mel, body });
    expect(reply, `${method} ${path} ${body.slice(0, 80)}`).toMatchObject({
      status: 400,
      body: { result: 'error', code: 'BAD_REQUEST' },
    });
  }
  await expectUnharmed(server);
});

test('a value that nests deeper than there is stack is refused, and the realm goes on', async () => {
  const server = await withGeneral();
  const { ona } = server.people;
  const depth = 50_000;
  const deep = [
    '['.repeat(depth) + ']'.repeat(depth),
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ];
  for (const value of deep) {
    const replies = await Promise.all([
      server.post(ona, '/users/me/subscriptions', { subscriptions: value }),
      server.post(ona, '/users/me/subscriptions', {
        subscriptions: [{ name: 'new' }],
        message_retention_days: value,
      }),
      server.post(ona, '/register', { narrow: value }),
      server.post(ona, '/messages', { ...MESSAGE, to: value }),
    ]);
    for (const { status, body } of replies) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body.result).toBe('error');
    }
  }
  expect((await server.post(ona, '/messages', MESSAGE)).status).toBe(200);
});

test('a parameter has so many values, however they are nested, and no more', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const flag = (messages: string) =>
    server.post(mel, '/messages/flags', { messages, op: 'add', flag: 'starred' });
  // The list itself is one of them.
  const ones = (count: number) => Array(count).fill(1).join();
  expect((await flag(`[${ones(JSON_VALUES_MAX - 1)}]`)).body.msg).toBe('Invalid message(s)');
  for (const json of [
    `[${ones(JSON_VALUES_MAX)}]`,
    `[[${ones(JSON_VALUES_MAX - 1)}]]`,
    `{"a":[${ones(JSON_VALUES_MAX - 2)}],"b":1}`,
  ]) {
    expect(await flag(json)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'messages has too many values' },
    });
  }
  await expectUnharmed(server);
});

/** Longer than any key of the store. */
const ENDLESS = 'x'.repeat(5_000);

test('a name longer than any that is stored is looked up in vain', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const range = { anchor: 'newest', num_before: 1, num_after: 0 };
  const narrowed = (...narrow: [string, string][]) =>
    server.get(mel, '/messages', { ...range, narrow });
  const credentials = `Basic ${Buffer.from(`${ENDLESS}:x`).toString('base64')}`;
  const replies = {
    login: server.request('GET', '/users/me', { headers: { authorization: credentials } }),
    channel: server.post(mel, '/messages', { ...MESSAGE, to: ENDLESS }),
    address: server.post(mel, '/messages', { type: 'direct', to: `${ENDLESS}@x`, content: 'a' }),
    user: server.get(mel, `/users/${ENDLESS}`),
    unsubscribed: server.delete(mel, '/users/me/subscriptions', { subscriptions: [ENDLESS] }),
    topic: narrowed(['channel', 'general'], ['topic', ENDLESS]),
    sender: narrowed(['sender', ENDLESS]),
    within: narrowed(['channel', ENDLESS]),
  };
  const statuses: Record<string, number> = {};
  for (const [name, reply] of Object.entries(replies)) statuses[name] = (await reply).status;
  expect(statuses).toEqual({
    login: 401,
    channel: 400,
    address: 400,
    user: 400,
    unsubscribed: 400,
    topic: 200,
    sender: 400,
    within: 400,
  });
  // As long as fits into a message three times.
  const long = ENDLESS.slice(0, 3_000);
  const mention = { ...MESSAGE, content: `@**${long}** @**${long}|3** @*${long}*` };
  expect((await server.post(mel, '/messages', mention)).status).toBe(200);
  expect(server.bugs).toEqual([]);
});

/** Where a client may go away, from the first byte to a moment after the last. */
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
    // By the answer to another request the bytes of this one have been read.
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
  // One more, which goes while it is answered.
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

const PATH_VALUES = ['0', '1', 'x', '%00', '-1', '%F0%9F%90%99', '1e9', 'a%2Fb', "'", '%zz', ' '];
const JSON_WORDS = [
  '[]',
  '{}',
  'null',
  '-1',
  '"x"',
  '[1]',
  '[[]]',
  '[{}]',
  'true',
  '1e999',
  '[null]',
];

/** Bytes, or something that comes closer to a request: known names with values of every kind. */
const input = (endpoint: Endpoint) => {
  const names = [...Object.keys(endpoint.params), 'client', 'x'];
  const value = fc.oneof(
    fc.constantFrom(...JSON_WORDS),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.json({ maxDepth: 3 }),
  );
  const form = fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: names.length })
    .map((pairs) =>
      Buffer.from(pairs.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&')),
    );
  return fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 4, arbitrary: form },
  );
};

const request = fc.constantFrom(...ENDPOINTS).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    pathValue: fc.constantFrom(...PATH_VALUES),
    body: input(endpoint),
    query: input(endpoint),
    contentType: fc.constantFrom(
      '',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
    ),
  }),
);

/** Bytes as a request line can hold them. */
const inQuery = (bytes: Buffer) => bytes.toString('latin1').replace(/[^!-~\x80-\xff]/g, '+');

test('no bytes in body or query make an endpoint fail: every one is answered, with no 500', async () => {
  const server = await withGeneral();
  const { ona } = server.people;
  await fc.assert(
    fc.asyncProperty(request, async ({ endpoint, pathValue, body, query, contentType }) => {
      const path = endpoint.path.replace(/\{\w+\}/g, encodeURI(pathValue));
      const socket = await openRawSocket(server.app.port);
      const head = [
        `${endpoint.method} /api/v1${path}?dont_block=true&${inQuery(query)} HTTP/1.1`,
        'Host: test.localhost',
        `Authorization: ${basic(ona)}`,
        `Content-Type: ${contentType}`,
        `Content-Length: ${body.length}`,
        '\r\n',
      ].join('\r\n');
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
      const answer = await socket.answer();
      socket.destroy();
      expect([200, 400, 401, 404, 429], answer.text).toContain(answer.status);
      const isDocument = 'document' in endpoint && answer.status === 200;
      const result = isDocument ? undefined : answer.status === 200 ? 'success' : 'error';
      expect(answer.body.result).toBe(result);
      expect(server.bugs).toEqual([]);
    }),
    { numRuns: 200, endOnFailure: true },
  );
});

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.integer(),
  fc.constant(null),
);
/** Something near a frame: known fields, with values of every kind. */
const nearFrame = fc.record(
  {
    type: fc.oneof(fc.constantFrom('register', 'ack', 'request', 'ping', 'hello'), fc.jsonValue()),
    id: fc.oneof(scalar, fc.jsonValue()),
    last_event_id: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom('GET', 'POST', 'OPTIONS', 'x'), fc.jsonValue()),
    path: fc.oneof(fc.constantFrom(...ENDPOINTS.map(({ path }) => path)), scalar),
    params: fc.oneof(fc.dictionary(fc.constantFrom('to', 'type', 'narrow', 'x'), fc.jsonValue())),
    idempotency_key: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const frame = fc.oneof(
  nearFrame.map((value) => JSON.stringify(value)),
  nearFrame.map((value) => pack(value)),
  fc.json(),
  fc.string(),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('no frames make a socket fail: it is there for the next one', async () => {
  const server = await withGeneral();
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 12 }), async (frames) => {
      const socket = await server.socket(server.people.mel);
      for (const bytes of frames) socket.ws.send(bytes);
      socket.send({ type: 'ping' });
      await socket.frame('pong');
      socket.close();
      await socket.closed();
      expect(server.bugs).toEqual([]);
    }),
    { numRuns: 100, endOnFailure: true },
  );
});
