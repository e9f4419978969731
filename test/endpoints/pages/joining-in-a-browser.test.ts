import { expect, test } from 'vitest';
import { openPage } from '../../support/pages/page.ts';
import { makeLink, memberAddresses, ZOE } from '../../support/people/joining.ts';
import { givePasswords, openBrowser } from '../../support/people/session-browser.ts';
import { startServer } from '../../support/start-server.ts';

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

test('a browser that joins is logged in, and led to the web client', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const { port } = server.app;
  const done = await openPage(link, { method: 'POST', form: ZOE, headers: OWN_PAGE });
  expect([done.status, done.text]).toEqual([303, '']);
  expect(done.headers).toMatchObject({
    location: '/#welcome',
    'cache-control': 'private, no-store',
  });
  const [cookie = ''] = done.headers['set-cookie'] ?? [];
  const form = '; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax';
  expect(cookie).toMatch(new RegExp(`^confab-${port}=8x[0-9a-f]{64}${form}$`));
  const browser = openBrowser(server);
  [browser.cookie = ''] = cookie.split(';');
  expect((await browser.get('/users/me')).body).toMatchObject({ user_id: 8, email: ZOE.email });
  expect((await browser.get('/sessions')).body.sessions).toMatchObject([{ is_current: true }]);
});

test('an older browser is known by the origin that it names', async () => {
  const server = await startServer();
  const link = await makeLink(server);
  const headers = { origin: new URL(link).origin };
  const done = await openPage(link, { method: 'POST', form: ZOE, headers });
  expect(done.status).toBe(303);
});

test.each([
  { who: 'a program', headers: {} },
  { who: 'a page of another site', headers: { 'sec-fetch-site': 'cross-site' } },
  { who: 'a page of a neighbour', headers: { 'sec-fetch-site': 'same-site' } },
])('the account is made, and nobody is logged in: $who', async ({ headers }) => {
  const server = await startServer();
  const link = await makeLink(server);
  const done = await openPage(link, { method: 'POST', form: ZOE, headers });
  expect(done.status).toBe(200);
  expect(done.text).toContain('<h1>Welcome</h1>');
  expect(done.headers['set-cookie']).toBeUndefined();
  expect(done.headers.location).toBeUndefined();
  const stored = await server.perform((tx) => [...tx.sessions.under([8])]);
  expect(stored).toEqual([]);
});

test.each(['https://evil.example', 'null'])('a page of %s joins nobody', async (origin) => {
  const server = await startServer();
  const link = await makeLink(server);
  const done = await openPage(link, { method: 'POST', form: ZOE, headers: { origin } });
  expect(done.status).toBe(403);
  expect(done.headers['set-cookie']).toBeUndefined();
  expect(await memberAddresses(server)).toHaveLength(7);
});

test('without the web client, the page says where to log in, also to a browser', async () => {
  const server = await startServer({ env: { CONFAB_WEB: '0' } });
  const link = await makeLink(server);
  const done = await openPage(link, { method: 'POST', form: ZOE, headers: OWN_PAGE });
  expect(done.status).toBe(200);
  expect(done.text).toContain('Log in with any client, as <strong>zoe@example.com</strong>');
  expect(done.headers['set-cookie']).toBeUndefined();
});

test('where clients use TLS, the cookie of who joins is sent over TLS alone', async () => {
  const server = await startServer({ env: { CONFAB_PUBLIC_URL: 'https://chat.example.com' } });
  const { pathname } = new URL(await makeLink(server));
  const link = `http://127.0.0.1:${server.app.port}${pathname}`;
  const done = await openPage(link, {
    method: 'POST',
    form: ZOE,
    host: 'chat.example.com',
    headers: OWN_PAGE,
  });
  expect(done.status).toBe(303);
  expect(done.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-confab=8x[0-9a-f]{64}; .*; SameSite=Lax; Secure$/),
  ]);
});

test('who joins in a browser that was logged in is the newcomer there, and the former session ends', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await givePasswords(server, mel);
  const browser = openBrowser(server);
  await browser.logIn(mel);
  const link = await makeLink(server);
  const headers = { ...OWN_PAGE, cookie: browser.cookie };
  const done = await openPage(link, { method: 'POST', form: ZOE, headers });
  expect(done.status).toBe(303);
  expect((await browser.get('/users/me')).status).toBe(401);
});
