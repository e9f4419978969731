import { expect, test } from 'vitest';
import {
  ANONYMOUS_REQUESTS_PER_MINUTE,
  LOGINS_PER_MINUTE,
  MAILS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
  SEARCHES_PER_MINUTE,
  SENDS_PER_MINUTE,
  UPLOADS_PER_MINUTE,
} from '../../src/domain/limits/turns.ts';
import { basic, type Reply } from '../support/client.ts';
import { upload } from '../support/files/uploads.ts';
import {
  ACCOUNT_CLASSES,
  digestOf,
  MESSAGE,
  nowOf,
  ofAll,
  outcomes,
  rateOf,
  replyTo,
  whoAmI,
  withLimits,
} from '../support/requests/limited.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

test('with 0 everywhere nobody is limited, and no answer says anything of limits', async () => {
  const server = await withLimits({});
  const { mel } = server.people;
  expect(new Set(await outcomes(250, () => whoAmI(server, mel)))).toEqual(new Set([200]));
  const { headers } = await whoAmI(server, mel);
  expect(Object.keys(headers).sort()).toEqual([
    'cache-control',
    'content-length',
    'content-type',
    'date',
    'uwebsockets',
    'x-content-type-options',
  ]);
});

test('where the operator says nothing there are limits, which a bot that works does not meet', async () => {
  const nothing = { ...ofAll(ACCOUNT_CLASSES, ''), ...ofAll(['LOGINS', 'ANONYMOUS_REQUESTS'], '') };
  const server = await startServer({ channels: ['general'], env: nothing });
  const { mel } = server.people;
  const limitOf = async (reply: Promise<Reply>) => Number(rateOf(await reply)[0]);
  const queue = await server.register(mel);
  const range = { anchor: 'newest', num_before: 1, num_after: 0 };
  expect(await limitOf(whoAmI(server, mel))).toBe(REQUESTS_PER_MINUTE);
  expect(await limitOf(queue.poll({ dont_block: true }))).toBe(REQUESTS_PER_MINUTE);
  expect(await limitOf(server.post(mel, '/messages', MESSAGE))).toBe(SENDS_PER_MINUTE);
  expect(await limitOf(server.get(mel, '/messages', range))).toBe(SEARCHES_PER_MINUTE);
  expect(await limitOf(upload(server, mel, { content: 'x' }))).toBe(UPLOADS_PER_MINUTE);
  expect(await limitOf(server.post(mel, '/invites', {}))).toBe(MAILS_PER_MINUTE);
  expect(await limitOf(server.post(null, '/fetch_api_key', {}))).toBe(LOGINS_PER_MINUTE);
  expect(await limitOf(server.get(null, '/server_settings'))).toBe(ANONYMOUS_REQUESTS_PER_MINUTE);
});

test('what one class has used is no other class without, over a socket and over HTTP alike', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel } = server.people;
  const socket = await server.socket(mel);
  const send = () => server.post(mel, '/messages', MESSAGE);
  expect(await outcomes(2, send)).toEqual([200, 200]);
  expect((await replyTo(socket, '/messages', 'POST', MESSAGE)).status).toBe(429);
  const range = { anchor: 'newest', num_before: 1, num_after: 0 };
  expect((await replyTo(socket, '/messages', 'GET', range)).status).toBe(200);
  expect((await replyTo(socket, '/messages', 'GET', range)).status).toBe(200);
  expect((await server.get(mel, '/messages', range)).status).toBe(429);
  expect((await whoAmI(server, mel)).status).toBe(200);
});

test('a poll that is parked at once is counted, and one too many is refused and not parked', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel, max } = server.people;
  const queues = [await server.register(mel), await server.register(mel)];
  const parked = queues.map((queue) => queue.poll());
  await whoAmI(server, max);
  expect((await queues[0]?.poll())?.status).toBe(429);
  await server.post(max, '/users/me/status', { status_text: 'here' });
  const replies = await Promise.all(parked);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(replies.map((reply) => rateOf(reply)[1]).sort()).toEqual(['0', '1']);
});

test('an account has so many requests, each answer says what is left, and one more is refused', async () => {
  const server = await withLimits({ perUser: 3 });
  const { mel } = server.people;
  const now = nowOf(server);
  const replies = [await whoAmI(server, mel), await whoAmI(server, mel), await whoAmI(server, mel)];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replies.map(rateOf)).toEqual([
    ['3', '2', `${now + 20}`],
    ['3', '1', `${now + 40}`],
    ['3', '0', `${now + 60}`],
  ]);

  const refused = await whoAmI(server, mel);
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    result: 'error',
    msg: 'API usage exceeded rate limit',
    code: 'RATE_LIMIT_HIT',
    'retry-after': 20,
  });
  expect(refused.headers['retry-after']).toBe('20');
  expect(rateOf(refused)).toEqual(['3', '0', `${now + 60}`]);
});

test('seconds to wait have fractions in the body, and are rounded up in the header', async () => {
  const server = await withLimits({ perUser: 7 });
  const { mel } = server.people;
  expect(await outcomes(8, () => whoAmI(server, mel))).toEqual([...Array(7).fill(200), 429]);
  const { body, headers } = await whoAmI(server, mel);
  expect([body['retry-after'], headers['retry-after']]).toEqual([8.572, '9']);
});

test('who waits as long as they were told is answered, once', async () => {
  const server = await withLimits({ perUser: 3 });
  const { mel } = server.people;
  await outcomes(3, () => whoAmI(server, mel));
  await server.advance(19_999);
  expect((await whoAmI(server, mel)).body['retry-after']).toBe(0.001);
  await server.advance(1);
  expect(await outcomes(2, () => whoAmI(server, mel))).toEqual([200, 429]);
  await server.advance(60_000);
  expect(await outcomes(4, () => whoAmI(server, mel))).toEqual([200, 200, 200, 429]);
});

test('a request that is refused for its parameters or its permission counts as well', async () => {
  const server = await withLimits({ perUser: 3 });
  const { mel } = server.people;
  const { status, headers } = await server.post(mel, '/users/me/status', {});
  expect([status, ...rateOf({ headers })]).toEqual([400, '3', '2', `${nowOf(server) + 20}`]);
  expect((await server.patch(mel, '/realm', { name: 'Mine' })).status).toBe(400);
  expect((await server.get(mel, '/nothing')).status).toBe(404);
  expect((await whoAmI(server, mel)).status).toBe(429);
});

test('no account is limited for what another does, and two realms share nothing', async () => {
  const server = await withLimits({ perUser: 1 });
  const { ona, mel, bot } = server.people;
  const other = await server.addRealm('other');
  expect(other.admin.id).toBe(ona.id);
  for (const as of [ona, mel, bot]) {
    expect(await outcomes(2, () => whoAmI(server, as))).toEqual([200, 429]);
  }
  const { admin } = other;
  expect(await outcomes(2, () => other.get(admin, '/users/me'))).toEqual([200, 429]);
});

test('what is refused changes nothing and nobody hears of it', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'] });
  const send = () => server.post(mel, '/messages', MESSAGE);
  expect(await outcomes(2, send)).toEqual([200, 200]);
  const before = digestOf(server);
  expect(await outcomes(3, send)).toEqual([429, 429, 429]);
  expect(digestOf(server)).toBe(before);
  expect((await queue.now()).map(({ type }) => type)).toEqual(['message', 'message']);
});

test('requests over a socket and over HTTP are of one account', async () => {
  const server = await withLimits({ perUser: 4 });
  const { mel } = server.people;
  const socket = await server.socket(mel);
  expect((await replyTo(socket, '/users/me')).status).toBe(200);
  expect(rateOf(await whoAmI(server, mel))[1]).toBe('2');
  socket.send({ type: 'register', params: { event_types: ['message'] } });
  await socket.frame('registered');
  const status = { status_text: 'at lunch' };
  expect((await replyTo(socket, '/users/me/status', 'POST', status)).status).toBe(200);

  expect(await replyTo(socket, '/users/me/status', 'POST', status)).toEqual({
    status: 429,
    body: {
      result: 'error',
      msg: 'API usage exceeded rate limit',
      code: 'RATE_LIMIT_HIT',
      'retry-after': 15,
    },
  });
  expect((await whoAmI(server, mel)).status).toBe(429);
  socket.send({ type: 'register', params: {} });
  expect(await socket.frame('error')).toMatchObject({ code: 'RATE_LIMIT_HIT', 'retry-after': 15 });
  // A frame that is no request is answered as before.
  socket.send({ type: 'ping' });
  await socket.frame('pong');
  await server.advance(15_000);
  expect((await replyTo(socket, '/users/me')).status).toBe(200);
});

test('polls are counted by themselves, at the same limit', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  expect(await outcomes(2, () => whoAmI(server, mel))).toEqual([200, 429]);
  const now = nowOf(server);
  const polled = await queue.poll({ dont_block: true });
  expect([polled.status, ...rateOf(polled)]).toEqual([200, '2', '1', `${now + 30}`]);
  const head = await server.request('HEAD', `/events?queue_id=${queue.id}&last_event_id=-1`, {
    as: mel,
  });
  expect([head.status, ...rateOf(head)]).toEqual([200, '2', '0', `${now + 60}`]);
  const refused = await queue.poll({ dont_block: true });
  expect([refused.status, refused.body['retry-after']]).toEqual([429, 30]);
  expect(rateOf(refused)[1]).toBe('0');
});

test('a poll that waited says what was left when it began', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel, max } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const began = nowOf(server);
  const poll = queue.poll();
  await server.get(max, '/users/me'); // by its answer the poll before it is parked
  await server.advance(5_000);
  await server.post(max, '/messages', MESSAGE);
  const reply = await poll;
  expect([reply.status, ...rateOf(reply)]).toEqual([200, '2', '1', `${began + 30}`]);
  expect(reply.body.events).toHaveLength(1);
});

test('sockets are counted with the polls, and one too many is refused before it is opened', async () => {
  const server = await withLimits({ perUser: 2 });
  const { mel, max } = server.people;
  await outcomes(3, () => whoAmI(server, mel));
  await server.socket(mel);
  await server.socket(mel);
  await expect(server.socket(mel)).rejects.toThrow('Unexpected server response: 429');
  await server.socket(max);

  const raw = await openRawSocket(server.app.port);
  raw.write(
    'GET /api/v1/events/socket HTTP/1.1\r\nHost: test.localhost\r\nConnection: Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `Authorization: ${basic(mel)}\r\n\r\n`,
  );
  const { status, headers, body } = await raw.answer();
  expect([status, headers['retry-after'], headers['x-ratelimit-remaining']]).toEqual([
    429,
    '30',
    '0',
  ]);
  expect(body).toMatchObject({ result: 'error', code: 'RATE_LIMIT_HIT', 'retry-after': 30 });
  await server.advance(30_000);
  await server.socket(mel);
});

test('the body of a refused request is thrown away, and its connection serves the next', async () => {
  const server = await withLimits({ perUser: 1 });
  const { mel, max } = server.people;
  await whoAmI(server, mel);
  await server.post(mel, '/messages', MESSAGE);
  const socket = await openRawSocket(server.app.port);
  const head = (line: string, as: Person, more = '') =>
    `${line} HTTP/1.1\r\nHost: test.localhost\r\nAuthorization: ${basic(as)}\r\n${more}\r\n`;
  const length = 5 * 1024 * 1024;
  socket.write(head('POST /api/v1/messages', mel, `Content-Length: ${length}\r\n`));
  // The request is refused before any of its body has come.
  expect((await socket.answer()).status).toBe(429);
  socket.write(Buffer.alloc(length, 'x'));
  socket.write(head('GET /api/v1/users/me', max));
  expect((await socket.answer()).body).toMatchObject({ result: 'success', user_id: max.id });
  socket.destroy();
});

test('a part of a file that is refused says by what protocol, as all answers about it do', async () => {
  const server = await withLimits({ perUser: 1 });
  const { mel } = server.people;
  const begin = () =>
    server.request('POST', '/tus', {
      as: mel,
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '3' },
    });
  await begin();
  const { status, headers } = await begin();
  expect([status, headers['tus-resumable'], headers['retry-after']]).toEqual([429, '1.0.0', '60']);
});
