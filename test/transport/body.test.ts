import { expect, test } from 'vitest';
import { FORM_FIELD_BYTES_MAX } from '../../src/domain/limits/requests.ts';
import { rawParameters } from '../../src/transport/body.ts';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const FORM = new URLSearchParams(MESSAGE).toString();
const BOUNDARY = '----confab';

const withGeneral = () => startServer({ channels: ['general'] });

const multipart = (fields: Readonly<Record<string, string | Buffer>>, file?: string) =>
  Buffer.concat([
    ...Object.entries(fields).flatMap(([name, value]) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(name === file ? '; filename="a.txt"\r\nContent-Type: text/plain' : ''),
      Buffer.from('\r\n\r\n'),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

function send(server: TestServer, contentType: string, body: string | Buffer, path = '/messages') {
  const { mel } = server.people;
  return server.request('POST', path, {
    as: mel,
    headers: { 'content-type': contentType },
    body,
  });
}

const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

test.each([
  { form: 'urlencoded', type: 'application/x-www-form-urlencoded', body: FORM },
  {
    form: 'urlencoded, with a charset',
    type: 'application/x-www-form-urlencoded; charset=UTF-8',
    body: FORM,
  },
  { form: 'multipart', type: MULTIPART, body: multipart(MESSAGE) },
  { form: 'of no type', type: '', body: FORM },
  { form: 'urlencoded, in capitals', type: 'Application/X-WWW-Form-URLencoded', body: FORM },
  {
    form: 'multipart, in capitals',
    type: MULTIPART.replace('multipart', 'Multipart'),
    body: multipart(MESSAGE),
  },
  {
    form: 'multipart, with its boundary in quotes',
    type: `multipart/form-data; boundary="${BOUNDARY}"`,
    body: multipart(MESSAGE),
  },
  {
    form: 'multipart, with a charset before its boundary',
    type: `multipart/form-data; charset=utf-8; Boundary=${BOUNDARY}`,
    body: multipart(MESSAGE),
  },
])('parameters are taken from a body: $form', async ({ type, body }) => {
  const server = await withGeneral();
  expect((await send(server, type, body)).body).toMatchObject({ result: 'success', id: 1 });
});

test('a multipart body brings any text; its files are no parameters', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.mel, { event_types: ['message'] });
  const content = 'ä & =\r\n%41+ 🐙';
  const body = multipart({ ...MESSAGE, content, file: 'text' }, 'file');
  expect((await send(server, MULTIPART, body)).body).toMatchObject({ result: 'success', id: 1 });
  expect((await queue.next())[0]?.['message'].content).toBe(content);
});

test.each([
  { why: 'no boundary', type: 'multipart/form-data', body: multipart(MESSAGE) },
  { why: 'no parts', type: MULTIPART, body: Buffer.from('nothing of the kind') },
  {
    why: 'invalid UTF-8',
    type: MULTIPART,
    body: multipart({ ...MESSAGE, content: Buffer.from([0xff]) }),
  },
  { why: 'cut off', type: MULTIPART, body: multipart(MESSAGE).subarray(0, 150) },
  {
    why: 'cut off after its last value',
    type: MULTIPART,
    body: multipart(MESSAGE).subarray(0, -4),
  },
])('a multipart body is refused: $why', async ({ type, body }) => {
  const server = await withGeneral();
  expect(await send(server, type, body)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST' },
  });
  expect(server.bugs).toEqual([]);
});

test('a body of another type has no parameters', async () => {
  const server = await withGeneral();
  expect(await send(server, 'application/json', JSON.stringify(MESSAGE))).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'type' },
  });
});

test('the body goes before the query, and what only the query has counts as well', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.mel, { event_types: ['message'] });
  const body = new URLSearchParams({ type: 'channel', to: 'general', topic: 'body' }).toString();
  const path = '/messages?topic=query&content=from+the%20query';
  expect((await send(server, 'application/x-www-form-urlencoded', body, path)).status).toBe(200);
  expect((await queue.next())[0]?.['message']).toMatchObject({
    subject: 'body',
    content: 'from the query',
  });
});

test('of a name given twice the last value counts', async () => {
  const server = await withGeneral();
  const queue = await server.register(server.people.mel, { event_types: ['message'] });
  await send(server, '', `${FORM}&topic=one&topic=two`);
  expect((await queue.next())[0]?.['message'].subject).toBe('two');
});

test.each([
  { why: 'invalid UTF-8 as bytes', body: Buffer.from([...Buffer.from(FORM), 0xc3, 0x28]) },
  { why: 'invalid UTF-8 as escapes', body: `${FORM}&x=%FF` },
  { why: 'half of a surrogate pair', body: `${FORM}&x=%ED%A0%80` },
  { why: 'an overlong encoding', body: `${FORM}&x=%C0%80` },
  { why: 'an escape that is none', body: `${FORM}&x=%zz` },
  { why: 'an escape cut off', body: `${FORM}&x=%4` },
  { why: 'a lone percent sign', body: `${FORM}&%=1` },
])('a form is refused: $why', async ({ body }) => {
  const server = await withGeneral();
  expect(await send(server, '', body)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(/UTF-8/) },
  });
});

test('the same in the query is refused, on any method', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  for (const query of ['x=%FF', 'x=%zz', '%C0%80=1', 'x=%']) {
    for (const method of ['GET', 'POST']) {
      const reply = await server.request(method, `/messages?${query}`, { as: mel });
      expect(reply, query).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    }
  }
});

test('500 parameters are read and one more is refused, as form and as parts', async () => {
  const server = await withGeneral();
  const more = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, '1']));
  for (const [count, status] of [
    [496, 200],
    [497, 400],
  ] as const) {
    const fields = { ...MESSAGE, ...more(count) };
    const form = await send(server, '', new URLSearchParams(fields).toString());
    const parts = await send(server, MULTIPART, multipart(fields));
    expect([form.status, parts.status]).toEqual([status, status]);
  }
});

test('names that objects have are parameters like others', async () => {
  const server = await withGeneral();
  const body = `${FORM}&__proto__=1&constructor=2&toString=3&=4&hasOwnProperty`;
  expect((await send(server, '', body)).body).toMatchObject({
    result: 'success',
    msg: '',
    id: 1,
    ignored_parameters_unsupported: ['', '__proto__', 'constructor', 'hasOwnProperty', 'toString'],
  });
});

test('a chunked body is read as one, and is the last of its connection', async () => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  socket.write(
    [
      'POST /api/v1/messages HTTP/1.1',
      'Host: test.localhost',
      `Authorization: ${basic(server.people.mel)}`,
      'Transfer-Encoding: chunked',
      '\r\n',
    ].join('\r\n'),
  );
  for (const part of [FORM.slice(0, 5), FORM.slice(5, 6), FORM.slice(6)]) {
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  socket.write('0\r\n\r\n');
  expect(await socket.answer()).toMatchObject({
    headers: { connection: 'close' },
    body: { result: 'success', id: 1 },
  });
  await socket.closed();
});

test('parameters of DELETE and PATCH are read from the body and from the query', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const subscriptions = JSON.stringify(['general']);
  const first = await server.delete(mel, '/users/me/subscriptions', { subscriptions });
  expect(first.body.removed).toEqual(['general']);
  const query = new URLSearchParams({ subscriptions }).toString();
  const second = await server.request('DELETE', `/users/me/subscriptions?${query}`, { as: mel });
  expect(second.body.not_removed).toEqual(['general']);
});

test('names without a value, and a long one, are read in one walk of the form', () => {
  const timed = (names: string) => {
    const form = Buffer.from(`${names}☃${'b'.repeat(24_000_000)}`);
    const start = performance.now();
    rawParameters('', form, 'application/x-www-form-urlencoded');
    return performance.now() - start;
  };
  const withValues = timed('a=&'.repeat(499));
  // The two take equally long; they differed by a hundred times when each name was searched to the
  // end of the form.
  expect(timed('a&'.repeat(499))).toBeLessThan(10 * withValues + 100);
});

test('wrong credentials are told before any of a large body is read', async () => {
  const server = await withGeneral();
  const socket = await openRawSocket(server.app.port);
  const head = (authorization: string, length: number) =>
    `POST /api/v1/messages HTTP/1.1\r\nHost: test.localhost\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(head('Basic d3Jvbmc6a2V5', 1_000_000));
  expect(await socket.answer()).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  // The rest of the body is not taken for a request, and the connection goes on after it.
  socket.write('GET /api/v1/server_settings HTTP/1.1\r\nHost: a\r\n\r\n'.padEnd(1_000_000));
  socket.write(`${head(basic(server.people.mel), FORM.length)}${FORM}`);
  expect(await socket.answer()).toMatchObject({ status: 200, body: { id: 1 } });
  socket.destroy();
});

test('what a stranger may send is small', async () => {
  const server = await startServer();
  const body = 'username=mel&password='.padEnd(64 * 1024 + 1, 'x');
  const reply = await server.request('POST', '/fetch_api_key', { body });
  expect(reply).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
});

test('a field of a multipart body that is no file has a bound of its own', () => {
  const body = multipart({ content: 'x'.repeat(FORM_FIELD_BYTES_MAX + 1) });
  expect(() => rawParameters('', body, MULTIPART)).toThrow('A field of the form is larger than');
  const file = multipart({ content: 'x'.repeat(FORM_FIELD_BYTES_MAX + 1) }, 'content');
  expect(rawParameters('', file, MULTIPART)).toEqual({});
});

const MANY = 'application/x-www-form-urlencoded';

test('plus signs are blanks in names and values, those that are encoded are not, and the body stays as it was', () => {
  const body = Buffer.from('a+b=c++d%2Be&f+=%20');
  expect({ ...rawParameters('q=x+y%2B', body, MANY) }).toEqual({
    q: 'x y+',
    'a b': 'c  d+e',
    'f ': ' ',
  });
  expect(body.toString()).toContain('c++d');
});

test('empty parameters count among those that a request may have', () => {
  const pairs = (count: number) => Buffer.from('&'.repeat(count));
  expect({ ...rawParameters('', Buffer.concat([pairs(499), Buffer.from('a=1')]), MANY) }).toEqual({
    a: '1',
  });
  expect(() => rawParameters('', pairs(501), MANY)).toThrow('Too many parameters');
});
