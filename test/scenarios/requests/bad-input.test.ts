import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  BODY_BYTES_MAX,
  FORM_BODY_BYTES_MAX,
  JSON_VALUES_MAX,
} from '../../../src/domain/limits/requests.ts';
import { json } from '../../../src/endpoints/params.ts';
import {
  expectUnharmed,
  FORM,
  MESSAGE,
  sendHead,
  withGeneral,
} from '../../support/requests/bad-input.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';

const HEAD_BYTES_MAX = 64 * 1024;

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
  // The body comes in chunks or not, as its end is what is in doubt.
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

test('a body that is announced to be too large is refused at its head, and the connection goes on', async () => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  socket.write(sendHead(server, `Content-Length: ${FORM_BODY_BYTES_MAX + 1}`));
  expect(await socket.answer()).toMatchObject({
    status: 413,
    body: { result: 'error', code: 'PAYLOAD_TOO_LARGE' },
  });
  socket.write(Buffer.alloc(FORM_BODY_BYTES_MAX + 1, 'x'));
  socket.write(`${sendHead(server, `Content-Length: ${FORM.length}`)}${FORM}`);
  expect(await socket.answer()).toMatchObject({ status: 200, body: { id: 1 } });
  socket.destroy();
});

test('a body in chunks is refused as soon as it is too large', async () => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  socket.write(sendHead(server, 'Transfer-Encoding: chunked'));
  const part = Buffer.alloc(FORM_BODY_BYTES_MAX + 1, 'x');
  socket.write(`${part.length.toString(16)}\r\n`);
  socket.write(part);
  expect(await socket.answer()).toMatchObject({
    status: 413,
    body: { result: 'error', code: 'PAYLOAD_TOO_LARGE' },
  });
  await socket.closed();
  await expectUnharmed(server);
});

test('a body of exactly as many bytes as an endpoint without files takes is read', async () => {
  const server = await withGeneral();
  const body = `${FORM}&x=`.padEnd(FORM_BODY_BYTES_MAX, 'x');
  const reply = await server.request('POST', '/messages', { as: server.people.mel, body });
  expect(reply.body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['x'] });
});

/** Returns a form that makes a bot and brings a file, with so many bytes as a whole. */
function botForm(bytes: number): Buffer {
  const field = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const start = `${field('full_name', 'Bot')}${field('short_name', 'bot')}--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`;
  const end = '\r\n--x--\r\n';
  const file = Buffer.alloc(bytes - start.length - end.length);
  return Buffer.concat([Buffer.from(start), file, Buffer.from(end)]);
}

test('a body of exactly 25 MiB is read where it may bring a file', async () => {
  const server = await withGeneral();
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const as = server.people.mel;
  const full = { as, headers, body: botForm(BODY_BYTES_MAX) };
  const reply = await server.request('POST', '/bots', full);
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  // One more is refused before any of it is sent.
  const socket = await openRawSocket(server.app.port);
  const length = `Content-Length: ${BODY_BYTES_MAX + 1}`;
  const type = 'Content-Type: multipart/form-data; boundary=x';
  socket.write(sendHead(server, length, type).replace('/messages', '/bots'));
  expect((await socket.answer()).status).toBe(413);
  socket.destroy();
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
  // The list itself counts as a value.
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

test('of a long list the first wrong entry is told, and not all of them are described', () => {
  let described = 0;
  const word = z.string({
    error: () => {
      described += 1;
      return 'is not a string';
    },
  });
  const words = json(z.array(word).max(100_000));
  const list = [...Array(60_000).fill('a'), ...Array(60_000).fill(1)];
  expect(words.safeParse(JSON.stringify(list)).error?.issues[0]).toMatchObject({
    message: 'is not a string',
    path: [60_000],
  });
  expect(described).toBeLessThan(1_000);
  expect(words.safeParse(JSON.stringify(list.slice(0, 60_000))).success).toBe(true);
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, 1]));
  expect(json(z.record(z.string(), word)).safeParse(JSON.stringify(names)).error?.issues).toEqual([
    expect.objectContaining({ message: 'has too many values' }),
  ]);
  expect(described).toBeLessThan(1_000);
});

/** A name that is longer than any key of the store. */
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
  // A name of this length fits into a message three times.
  const long = ENDLESS.slice(0, 3_000);
  const mention = { ...MESSAGE, content: `@**${long}** @**${long}|3** @*${long}*` };
  expect((await server.post(mel, '/messages', mention)).status).toBe(200);
  expect(server.bugs).toEqual([]);
});
