import http from 'node:http';
import { expect, test } from 'vitest';
import { upload } from '../../support/files/uploads.ts';
import { givePasswords, openBrowser } from '../../support/people/session-browser.ts';
import { startServer } from '../../support/start-server.ts';

const OWN = 'http://test.localhost:PORT';
const EVIL = 'https://evil.example.com';

/** The headers by which a browser describes a page; a cookie counts in requests of some. */
const API = [
  { from: 'a page of this host', headers: { 'sec-fetch-site': 'same-origin' }, counts: true },
  { from: 'a page of another port or subdomain', headers: { 'sec-fetch-site': 'same-site' } },
  { from: 'a page of another site', headers: { 'sec-fetch-site': 'cross-site' } },
  { from: 'the address bar', headers: { 'sec-fetch-site': 'none' } },
  { from: 'something unknown', headers: { 'sec-fetch-site': 'new-word' } },
  {
    from: 'another site that says the own origin',
    headers: { 'sec-fetch-site': 'cross-site', origin: OWN },
  },
  { from: 'an older browser, on a page of this host', headers: { origin: OWN }, counts: true },
  { from: 'a page in a sandbox', headers: { origin: 'null' } },
  { from: 'a page whose host begins alike', headers: { origin: `${OWN}0` } },
  { from: 'anything that says nothing', headers: {} },
];

test.each(API)('a cookie in a request to the API: from $from', async ({ headers, counts }) => {
  const { server, browser } = await loggedIn();
  const said = at(server.app.port, headers);
  const read = await browser.get('/users/me', said);
  expect(read.status).toBe(counts ? 200 : 401);
  if (!counts) expect(read.body.code).toBe('UNAUTHORIZED');
  const { status } = await browser.send('POST', '/users/me/status', { status_text: 'here' }, said);
  // A page of another origin changes nothing, whatever it sends (403); else nobody is logged in.
  expect(counts ? [200] : [401, 403]).toContain(status);
});

test.each([
  { referer: `${OWN}/`, status: 200 },
  { referer: `${EVIL}/`, status: 401 },
  { referer: `${OWN}0/`, status: 401 },
  { referer: 'test.localhost', status: 401 },
])(
  'over plain HTTP a request that reads says its page only as the referrer: $referer',
  async (given) => {
    const { server, browser } = await loggedIn();
    const headers = at(server.app.port, { referer: given.referer });
    expect((await browser.get('/users/me', headers)).status).toBe(given.status);
    // A request that changes something always has an origin.
    const change = { status_text: 'here' };
    expect((await browser.send('POST', '/users/me/status', change, headers)).status).toBe(401);
  },
);

test.each([
  { from: 'an image on a page of this host', site: 'same-origin', mode: 'no-cors', status: 200 },
  { from: 'the address bar', site: 'none', mode: 'navigate', status: 200 },
  { from: 'an image on a page of another site', site: 'cross-site', mode: 'no-cors', status: 403 },
  { from: 'a link on a page of another site', site: 'cross-site', mode: 'navigate', status: 403 },
  { from: 'an image on a neighbour', site: 'same-site', mode: 'no-cors', status: 403 },
])('an uploaded file is shown to $from: $status', async ({ site, mode, status }) => {
  const { server, browser } = await loggedIn();
  const { body } = await upload(server, server.people.mel, { content: 'soup', filename: 'a.txt' });
  const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, cookie: browser.cookie };
  const response = await get(server.app.port, body.url, headers);
  expect(response.status).toBe(status);
  if (status === 200) expect(response.text).toBe('soup');
  else expect(response.text).not.toContain('soup');
});

test('a request with an Authorization header takes no notice of cookies', async () => {
  const { server, browser } = await loggedIn();
  const { max } = server.people;
  const { cookie } = browser;
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const asMax = await server.request('GET', '/users/me', { as: max, headers });
  expect(asMax.body.user_id).toBe(max.id);
  const wrong = await server.request('GET', '/users/me', {
    headers: { ...headers, authorization: 'Basic eHl6enk6eHl6enk=' },
  });
  expect(wrong).toMatchObject({ status: 401, body: { msg: 'Invalid API key' } });
  // The secret is nothing that a header may bring.
  const [, value = ''] = cookie.split('=');
  for (const scheme of ['Session', 'session', 'Cookie', 'Bearer']) {
    const authorization = `${scheme} ${value}`;
    const reply = await server.request('GET', '/users/me', { headers: { authorization } });
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  }
});

test('only a page of this host logs a browser in or out', async () => {
  const { server, browser, mel } = await loggedIn();
  const { port } = server.app;
  const elsewhere = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: EVIL },
    { origin: EVIL, 'sec-fetch-site': 'cross-site' },
  ];
  const { cookie } = browser;
  const log = { username: mel.email, password: 'correct horse' };
  for (const headers of elsewhere) {
    for (const [method, path, params] of [
      ['POST', '/sessions', log],
      ['POST', '/sessions/demo', { user_id: mel.id }],
      ['DELETE', '/sessions/current', {}],
    ] as const) {
      const reply = await browser.send(method, path, params, headers);
      // A page of another origin changes nothing, before it is asked what.
      const status = 'origin' in headers ? 403 : 400;
      expect(reply, `${method} ${path} ${JSON.stringify(headers)}`).toMatchObject({ status });
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
  }
  expect(browser.cookie).toBe(cookie);
  expect((await browser.get('/users/me')).status).toBe(200);
  const old = openBrowser(server);
  const reply = await old.send('POST', '/sessions', log, at(port, { origin: OWN }));
  expect(reply.status).toBe(200);
});

test('a socket is opened with a cookie by a page of this host alone', async () => {
  const { server, browser, mel } = await loggedIn();
  const origin = `http://test.localhost:${server.app.port}`;
  const mine = await browser.socket('', { origin });
  mine.send({ type: 'request', id: 1, method: 'GET', path: '/users/me' });
  expect(await mine.frame('reply')).toMatchObject({ status: 200, body: { user_id: mel.id } });
  mine.send({
    type: 'request',
    id: 2,
    method: 'POST',
    path: '/sessions',
    params: {
      username: mel.email,
      password: 'correct horse',
    },
  });
  // A frame has no answer that could set a cookie.
  expect(await mine.frame('reply')).toMatchObject({ id: 2, status: 400 });
  for (const headers of [{}, { origin, 'sec-fetch-site': 'cross-site' }]) {
    const socket = await browser.socket('', headers);
    expect((await socket.closed()).code).toBe(4001);
  }
  await expect(browser.socket('', { origin: EVIL })).rejects.toThrow('403');
});

test('a page of an origin that the operator allows does not get at the cookie', async () => {
  const server = await startServer({ env: { CONFAB_ALLOWED_ORIGINS: EVIL } });
  const { mel } = server.people;
  await givePasswords(server, mel);
  const browser = openBrowser(server);
  await browser.logIn(mel);
  const headers = { origin: EVIL, 'sec-fetch-site': 'same-site' };
  expect((await browser.get('/users/me', headers)).status).toBe(401);
  const reply = await browser.send('POST', '/users/me/status', { status_text: 'x' }, headers);
  expect(reply.status).toBe(401);
  const socket = await browser.socket('', headers);
  expect((await socket.closed()).code).toBe(4001);
  const log = { username: mel.email, password: 'correct horse' };
  expect((await browser.send('POST', '/sessions', log, headers)).status).toBe(400);
});

const PROXIED = { CONFAB_TRUSTED_PROXIES: '127.0.0.1' };

test.each([
  { env: { CONFAB_PUBLIC_URL: 'https://chat.example.com' }, host: 'chat.example.com', fixed: {} },
  {
    env: PROXIED,
    host: 'chat.example.com',
    fixed: { 'x-forwarded-host': 'chat.example.com', 'x-forwarded-proto': 'https' },
  },
  // The server does not know of the TLS in front of it, but the browser does.
  { env: {}, host: 'test.localhost', fixed: {} },
])(
  'over TLS the cookie has a name that no other host can set: $env',
  async ({ env, host, fixed }) => {
    const server = await startServer({ env });
    const { mel } = server.people;
    await givePasswords(server, mel);
    const browser = openBrowser(server, undefined, { host, ...fixed });
    const headers = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' };
    const log = { username: mel.email, password: 'correct horse' };
    expect((await browser.send('POST', '/sessions', log, headers)).status).toBe(200);
    expect(browser.setCookie).toMatch(
      /^__Host-confab=\d+x[0-9a-f]{64}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await browser.get('/users/me')).status).toBe(200);
    const socket = await browser.socket('', { origin: `https://${host}` });
    socket.send({ type: 'ping' });
    expect(await socket.frame()).toMatchObject({ type: 'pong' });
    if (Object.keys(env).length === 0) return;
    // A page that came without TLS may be written by anybody on the way.
    expect((await browser.get('/users/me', { origin: `http://${host}` })).status).toBe(401);
    const [, value] = browser.cookie.split('=');
    for (const name of ['confab', 'confab-443', `confab-${server.app.port}`]) {
      browser.cookie = `${name}=${value}`;
      expect((await browser.get('/users/me')).status).toBe(401);
    }
  },
);

test.each([
  ['no session', 'confab-PORT='],
  ['no user', `confab-PORT=x${'0'.repeat(64)}`],
  ['an unknown secret', `confab-PORT=3x${'0'.repeat(64)}`],
  ['a large number', `confab-PORT=${'9'.repeat(400)}x${'0'.repeat(64)}`],
  ['other characters', 'confab-PORT=\u00e9%00"\u00ff'],
  ['the name of another server', `confab-1=3x${'0'.repeat(64)}`],
  ['very many cookies', `${'a=b; '.repeat(5_000)}confab-PORT=1x2`],
])('a cookie of nobody is refused: %s', async (_why, cookie) => {
  const { server, browser } = await loggedIn();
  browser.cookie = cookie.replace('PORT', String(server.app.port));
  expect(await browser.get('/users/me')).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED' },
  });
  expect((await browser.get('/server_settings')).status).toBe(200);
  expect((await browser.logIn(server.people.mel)).status).toBe(200);
  expect(server.bugs).toEqual([]);
});

test('a session of one realm is nobody in another, though one server has both', async () => {
  const { server, browser } = await loggedIn();
  const { port } = server.app;
  await server.addRealm('acme');
  const headers = { 'sec-fetch-site': 'same-origin', host: `acme.localhost:${port}` };
  expect((await browser.get('/users/me', headers)).status).toBe(401);
});

async function loggedIn() {
  const server = await startServer();
  const { mel } = server.people;
  await givePasswords(server, mel);
  const browser = openBrowser(server);
  expect((await browser.logIn(mel)).status).toBe(200);
  return { server, browser, mel };
}

const at = (port: number, headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.replace('PORT', String(port))]],
    ),
  );

async function get(port: number, path: string, headers: Record<string, string>) {
  const host = { host: `test.localhost:${port}` };
  return await new Promise<{ status: number; text: string }>((resolve, reject) => {
    http
      .get({ port, host: '127.0.0.1', path, headers: { ...host, ...headers } }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      })
      .on('error', reject);
  });
}
