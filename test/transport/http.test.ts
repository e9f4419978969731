import { expect, test } from 'vitest';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer } from '../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };

test('an answer is one line of JSON that no cache keeps', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const socket = await openRawSocket(server.app.port);
  socket.write(
    `GET /api/v1/users/me HTTP/1.1\r\nHost: test.localhost\r\nAuthorization: ${basic(mel)}\r\n\r\n`,
  );
  const { status, headers, text } = await socket.answer();
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': expect.stringMatching(/no-store/),
  });
  expect(text).toMatch(/^\{"result":"success".*\}\n$/);
  socket.destroy();
});

test('a connection serves one request after another, and several sent at once, in order', async () => {
  const server = await startServer();
  const socket = await openRawSocket(server.app.port);
  const request = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: test.localhost\r\n\r\n`;
  socket.write(request('/server_settings'));
  expect((await socket.answer()).status).toBe(200);
  socket.write(request('/server_settings') + request('/users') + request('/nothing'));
  const statuses = [await socket.answer(), await socket.answer(), await socket.answer()];
  expect(statuses.map(({ status }) => status)).toEqual([200, 401, 404]);
  socket.destroy();
});

test('a method that a path does not have is refused with those it has, before credentials are looked at', async () => {
  const server = await startServer();
  const { status, headers, body } = await server.request('PATCH', '/messages');
  expect(status).toBe(405);
  expect(body).toEqual({
    result: 'error',
    msg: 'Method Not Allowed',
    allowed_methods: ['POST', 'GET', 'HEAD'],
  });
  expect(headers.allow).toBe('POST, GET, HEAD');
  expect(await server.request('PUT', '/events')).toMatchObject({
    status: 405,
    body: { allowed_methods: ['GET', 'HEAD', 'DELETE'] },
  });
});

test('OPTIONS is answered with the methods and no body', async () => {
  const server = await startServer();
  const { status, headers, body } = await server.request('OPTIONS', '/register');
  expect(status).toBe(204);
  expect(headers.allow).toBe('POST, OPTIONS');
  expect(body).toBeNull();
  expect((await server.request('OPTIONS', '/nothing')).status).toBe(404);
});

test('HEAD is answered like GET, without the body', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const get = await server.get(mel, '/users/me');
  const head = await server.request('HEAD', '/users/me', { as: mel });
  expect(head).toMatchObject({ status: 200, body: null });
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect(await server.request('HEAD', '/users/me')).toMatchObject({ status: 401, body: null });
  expect((await server.request('HEAD', '/register', { as: mel })).status).toBe(405);
});

test('HEAD of the events of a queue does not wait, and acknowledges nothing', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const path = `/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const empty = await server.request('HEAD', path, { as: mel });
  await server.post(mel, '/messages', MESSAGE);
  const full = await server.request('HEAD', path, { as: mel });
  for (const { status, body } of [empty, full]) {
    expect({ status, body }).toEqual({ status: 200, body: null });
  }
  expect(await queue.now()).toHaveLength(1);
});

test('a connection goes on after the answer to a HEAD', async () => {
  const server = await startServer();
  const socket = await openRawSocket(server.app.port);
  const head = 'HTTP/1.1\r\nHost: test.localhost\r\n\r\n';
  socket.write(`HEAD /api/v1/server_settings ${head}`);
  const { status, headers } = await socket.answer({ isHead: true });
  socket.write(`GET /api/v1/server_settings ${head}`);
  const { text } = await socket.answer();
  expect(status).toBe(200);
  expect(headers['content-length']).toBe(String(text.length));
  socket.destroy();
});

test.each(['/nothing', '/users/me/', '/', '/messages/1/2/3', '/%6dessages'])(
  'there is nothing at %s',
  async (path) => {
    const server = await startServer();
    const reply = await server.request('GET', path, { as: server.people.mel });
    expect(reply).toMatchObject({ status: 404, body: { result: 'error', code: 'NOT_FOUND' } });
  },
);

test('there is nothing outside of the API', async () => {
  const server = await startServer();
  const socket = await openRawSocket(server.app.port);
  for (const path of ['/', '/api/v1', '/api/v2/messages', '/index.html', '/api/v1?x', '/\xff']) {
    socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: test.localhost\r\n\r\n`, 'latin1'));
    const { status, body } = await socket.answer();
    expect({ status, code: body.code }, path).toEqual({ status: 404, code: 'NOT_FOUND' });
  }
  socket.destroy();
});

test('a form field `method` on a POST replaces the method', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { fetch_event_types: [] });
  const params = { method: 'delete', queue_id: queue.id };
  const replaced = await server.post(mel, '/events', params);
  expect(replaced).toMatchObject({ status: 200, body: { result: 'success', msg: '' } });
  expect(replaced.body).not.toHaveProperty('ignored_parameters_unsupported');
  expect((await queue.poll()).body.code).toBe('BAD_EVENT_QUEUE_ID');
  expect((await server.post(mel, '/messages', { method: 'patch' })).status).toBe(405);
  expect(await server.get(mel, '/users/me', { method: 'POST' })).toMatchObject({
    status: 200,
    body: { ignored_parameters_unsupported: ['method'] },
  });
});

test('a request without credentials is told how to bring them', async () => {
  const server = await startServer();
  const { status, headers, body } = await server.get(null, '/users/me');
  expect(status).toBe(401);
  expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
  expect(Object.keys(body).sort()).toEqual(['code', 'msg', 'result']);
  expect(body.code).toBe('UNAUTHORIZED');
});

const HEADERS = [
  { why: 'no pair', header: `Basic ${Buffer.from('no colon').toString('base64')}`, status: 401 },
  { why: 'not base64', header: 'Basic ***', status: 401 },
  { why: 'nothing after Basic', header: 'Basic', status: 401 },
  {
    why: 'a wrong key',
    header: `Basic ${Buffer.from('mel@example.com:x').toString('base64')}`,
    status: 401,
  },
  {
    why: 'nobody',
    header: `Basic ${Buffer.from('no@example.com:x').toString('base64')}`,
    status: 401,
  },
  {
    why: 'bytes',
    header: `Basic ${Buffer.from([0, 255, 58, 0, 254]).toString('base64')}`,
    status: 401,
  },
  { why: 'another scheme', header: 'Bearer abc', status: 400 },
];

test('credentials that are none are refused', async () => {
  const server = await startServer();
  for (const { why, header, status } of HEADERS) {
    const reply = await server.request('GET', '/users/me', { headers: { authorization: header } });
    const code = status === 401 ? 'UNAUTHORIZED' : 'BAD_REQUEST';
    expect(reply, why).toMatchObject({ status, body: { code } });
  }
  expect(server.bugs).toEqual([]);
});
