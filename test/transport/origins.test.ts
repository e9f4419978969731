import { expect, test } from 'vitest';
import { basic } from '../support/client.ts';
import { startServer } from '../support/start-server.ts';

const ALLOWED = 'https://app.example.com';
const MESSAGE = new URLSearchParams({
  type: 'channel',
  to: 'general',
  topic: 'lunch',
  content: 'soup?',
}).toString();

async function start() {
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_ALLOWED_ORIGINS: `${ALLOWED},https://other.example.com` },
  });
  const { mel } = server.people;
  const send = (headers: Record<string, string>) =>
    server.request('POST', '/messages', {
      as: mel,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: MESSAGE,
    });
  return { server, mel, send };
}

test('a page of another host changes nothing, and one of the own host or an allowed one does', async () => {
  const { server, send } = await start();
  for (const origin of ['https://evil.example.com', 'null', `${ALLOWED}.evil.org`]) {
    const { status, body } = await send({ origin });
    expect([status, body.code, body.msg]).toEqual([
      403,
      'BAD_REQUEST',
      'This origin may not connect',
    ]);
  }
  const own = `https://test.localhost:${server.app.port}`;
  const ids = [await send({}), await send({ origin: own }), await send({ origin: ALLOWED })];
  expect(ids.map(({ body }) => body.id)).toEqual([1, 2, 3]);
});

test('an allowed page is named in every answer, so that it may read it, and no other is', async () => {
  const { server, mel, send } = await start();
  const named = (headers: Record<string, unknown>) => [
    headers['access-control-allow-origin'],
    headers['vary'],
  ];
  const queue = await server.register(mel);
  const poll = `/events?queue_id=${queue.id}&last_event_id=-1`;
  await send({});
  for (const path of ['/users/me', '/nothing', poll]) {
    const requestFrom = (origin: string) =>
      server.request('GET', path, { as: mel, headers: { origin } });
    expect(named((await requestFrom(ALLOWED)).headers)).toEqual([ALLOWED, 'Origin']);
    expect(named((await requestFrom('https://evil.example.com')).headers)).toEqual([
      undefined,
      undefined,
    ]);
  }
  expect(named((await send({ origin: ALLOWED })).headers)).toEqual([ALLOWED, 'Origin']);
});

test('a browser that asks first is told what an allowed page may ask', async () => {
  const { server } = await start();
  const ask = (origin: string) =>
    server.request('OPTIONS', '/messages/7', {
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization',
      },
    });
  const { status, headers } = await ask(ALLOWED);
  expect([status, headers['access-control-allow-origin']]).toEqual([204, ALLOWED]);
  expect(headers['access-control-allow-methods']).toContain('PATCH');
  expect(headers['access-control-allow-headers']).toContain('Authorization');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  const other = await ask('https://evil.example.com');
  expect(other.headers).not.toHaveProperty('access-control-allow-origin');
  expect(other.headers).not.toHaveProperty('access-control-allow-methods');
});

test.each([
  { origin: ALLOWED },
  { 'sec-fetch-mode': 'cors' },
  { 'x-requested-with': 'XMLHttpRequest' },
  { accept: 'text/html,application/xhtml+xml' },
  // A page of this server over plain HTTP sends no other headers.
  { accept: '*/*', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' },
])('a browser is not made to ask its user for a password: %o', async (headers) => {
  const { server, mel } = await start();
  const refused = await server.request('GET', '/users/me', { headers });
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, undefined]);
  const authorization = basic({ ...mel, apiKey: 'wrong' });
  const wrong = await server.request('GET', '/users/me', {
    headers: { ...headers, authorization },
  });
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, undefined]);
});
