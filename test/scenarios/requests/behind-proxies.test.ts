import { expect, test } from 'vitest';
import { basic, openClient } from '../../support/client.ts';
import { openPage } from '../../support/pages/page.ts';
import { untilRefused } from '../../support/requests/limited.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** The address of the proxy; all others ask from another address of this machine. */
const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.2';
const CHAT = 'chat.example.com';

const behind = (env: Record<string, string> = {}) =>
  startServer({ channels: ['general'], env: { CONFAB_TRUSTED_PROXIES: PROXY, ...env } });

const settings = async (
  server: TestServer,
  headers: Record<string, string>,
  localAddress = PROXY,
) => {
  const reply = await server.request('GET', '/server_settings', { headers, localAddress });
  expect(reply.status).toBe(200);
  return reply;
};

test('by what a trusted proxy says links are made and realms found, whatever the Host', async () => {
  const server = await behind();
  await server.addRealm('acme');
  const said = {
    host: 'upstream:8080',
    'x-forwarded-host': `acme.${CHAT}`,
    'x-forwarded-proto': 'https',
  };
  const { body } = await settings(server, said);
  expect([body.realm_name, body.realm_url]).toEqual(['acme', `https://acme.${CHAT}`]);
  const plain = await settings(server, { ...said, 'x-forwarded-proto': 'http' });
  expect(plain.body.realm_url).toBe(`http://acme.${CHAT}`);
  // The server believes no other address, about anything.
  const stranger = await settings(server, { ...said, host: 'test.localhost:1' }, STRANGER);
  expect([stranger.body.realm_name, stranger.body.realm_url]).toEqual([
    'test',
    'http://test.localhost:1',
  ]);
  // A host is no better known because the proxy was asked for it.
  const reply = await settings(server, { host: `test.evil.${CHAT}`, 'x-forwarded-proto': 'https' });
  expect(reply.body.realm_url).toBe('https://test.localhost');
});

test('where the operator says how the server is reached, no proxy says otherwise', async () => {
  const server = await behind({ CONFAB_PUBLIC_URL: `https://${CHAT}` });
  const said = { 'x-forwarded-host': 'test.other.example.com', 'x-forwarded-proto': 'http' };
  expect((await settings(server, said)).body.realm_url).toBe(`https://${CHAT}`);
});

test('those who asked the proxy by TLS are told to ask by nothing else', async () => {
  const server = await behind();
  const strict = 'strict-transport-security';
  const https = { 'x-forwarded-proto': 'https' };
  expect((await settings(server, https)).headers[strict]).toBe('max-age=31536000');
  expect((await settings(server, { 'x-forwarded-proto': 'http' })).headers).not.toHaveProperty(
    strict,
  );
  expect((await settings(server, {})).headers).not.toHaveProperty(strict);
  expect((await settings(server, https, STRANGER)).headers).not.toHaveProperty(strict);
  const refused = await server.request('GET', '/nothing', { headers: https });
  expect([refused.status, refused.headers[strict]]).toEqual([404, 'max-age=31536000']);
  expect((await openPage(`${server.url}/nowhere`)).headers).not.toHaveProperty(strict);
});

test('each address behind the proxy has log-ins of its own, which nobody else can claim', async () => {
  const server = await behind({ CONFAB_LOGINS_PER_MINUTE: '2' });
  const logIn = async (from: string, localAddress = PROXY) => {
    const { status } = await server.request('POST', '/fetch_api_key', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': from,
      },
      body: 'username=nobody@example.com&password=wrong',
      localAddress,
    });
    return status;
  };
  const inTurn = async (requests: readonly (() => Promise<number>)[]) => {
    const statuses: number[] = [];
    for (const request of requests) statuses.push(await request());
    return statuses;
  };
  const [one, other] = ['203.0.113.9', '203.0.113.10'];
  expect(
    await inTurn([
      () => logIn(one),
      () => logIn(`1.1.1.1, ${one}`),
      () => logIn(`2.2.2.2, ${one}`),
      () => logIn(other),
    ]),
  ).toEqual([401, 401, 429, 401]);
  expect(
    await inTurn(['3.3.3.3', '4.4.4.4', '5.5.5.5'].map((from) => () => logIn(from, STRANGER))),
  ).toEqual([401, 401, 429]);
});

test('guesses at a password delay the address behind the proxy alone', async () => {
  const server = await behind();
  const { mel } = server.people;
  const guess = async (from: string) => {
    const { status } = await server.request('POST', '/fetch_api_key', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': from,
      },
      body: new URLSearchParams({ username: mel.email, password: 'wrong horse' }).toString(),
    });
    return status;
  };
  for (let index = 0; index < 5; index++) expect(await guess('203.0.113.9')).toBe(401);
  expect(await guess('203.0.113.9')).toBe(429);
  expect(await guess('203.0.113.10')).toBe(401);
});

test('polls wait and sockets open at the host that the proxy says', async () => {
  const server = await behind({ CONFAB_DEFAULT_REALM: 'acme' });
  await server.addRealm('acme');
  const { mel, max } = server.people;
  const headers = { 'x-forwarded-host': `test.${CHAT}`, 'x-forwarded-proto': 'https' };
  const inner = openClient(() => server.app.port, 'upstream');
  const refused = await inner.request('GET', '/users/me', { as: mel });
  expect(refused.status).toBe(401);
  const queue = await server.register(mel);
  const position = `queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const poll = inner.request('GET', `/events?${position}`, { as: mel, headers });
  const socket = await inner.socket(mel, {
    headers: { ...headers, origin: `https://test.${CHAT}` },
  });
  socket.send({ type: 'register', id: 1, params: { event_types: ['message', 'realm'] } });
  expect(JSON.stringify(await socket.frame('registered'))).toContain(
    `"realm_url":"https://test.${CHAT}"`,
  );
  await server.post(max, '/messages', { type: 'channel', to: 'general', topic: '', content: 'x' });
  expect((await poll).body.events).toContainEqual(expect.objectContaining({ type: 'message' }));
  expect((await socket.frame('events'))['events']).toContainEqual(
    expect.objectContaining({ type: 'message' }),
  );
  // This origin is a page of another host than the one that the proxy was asked by.
  const foreign = { headers: { ...headers, origin: 'https://upstream' } };
  await expect(inner.socket(mel, foreign)).rejects.toThrow('403');
});

test('sockets are counted for the address behind the proxy', async () => {
  const server = await behind({ CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: '1' });
  const wrong = { authorization: basic({ ...server.people.mel, apiKey: 'f'.repeat(32) }) };
  const open = (from: string) =>
    server.socket(null, { headers: { ...wrong, 'x-forwarded-for': from } });
  const openAndClose = async () => (await open('203.0.113.9')).close();
  await openAndClose();
  await expect(untilRefused(openAndClose)).rejects.toThrow('429');
  (await open('203.0.113.10')).close();
});
