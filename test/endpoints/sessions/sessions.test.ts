import { expect, test } from 'vitest';
import { givePasswords, openBrowser, PASSWORD } from '../../support/people/session-browser.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ENDED = {
  status: 401,
  body: { code: 'UNAUTHORIZED', msg: expect.stringContaining('ended') },
};

test('a log-in sets a cookie that no script can read, and the browser is somebody from then on', async () => {
  const { server, browser } = await opened();
  const { mel } = server.people;
  const reply = await browser.logIn(mel);
  expect(reply).toMatchObject({ status: 200, body: { user_id: mel.id, email: mel.email } });
  const port = server.app.port;
  expect(browser.setCookie).toMatch(
    new RegExp(
      `^confab-${port}=${mel.id}x[0-9a-f]{64}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax$`,
    ),
  );
  expect((await browser.get('/users/me')).body.user_id).toBe(mel.id);
  const sent = await browser.send('POST', '/messages', {
    type: 'direct',
    to: [mel.id],
    content: 'hello',
  });
  expect(sent.status).toBe(200);
  const stored = await server.perform((tx) => [...tx.sessions.under([mel.id])]);
  expect(JSON.stringify(stored)).not.toContain(browser.cookie.slice(-64));
});

test('sessions are listed newest first, with what tells them apart', async () => {
  const { server, browser } = await opened();
  const { mel, max } = server.people;
  await openBrowser(server).logIn(max);
  const phone = openBrowser(
    server,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  );
  await browser.logIn(mel);
  await server.advance(1_000);
  await phone.logIn(mel);
  const now = Math.floor(server.clock.now() / 1000);
  const { body } = await browser.get('/sessions');
  const month = 30 * 86_400;
  expect(body.sessions).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      created_at: now,
      expires_at: now + month,
      is_current: false,
      last_used_at: now,
      client: 'Safari on iPhone',
      address_class: 'loopback',
    },
    {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      created_at: now - 1,
      expires_at: now + month,
      is_current: true,
      last_used_at: now,
      client: 'Firefox on Linux',
      address_class: 'loopback',
    },
  ]);
});

test('logging out ends the session and clears the cookie, also that of an ended one', async () => {
  const { server, browser } = await opened();
  await browser.logIn(server.people.mel);
  const { cookie } = browser;
  expect((await browser.send('DELETE', '/sessions/current')).status).toBe(200);
  expect(browser.cookie).toBe('');
  expect(browser.setCookie).toContain('Max-Age=0');
  browser.cookie = cookie;
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
  expect((await browser.send('DELETE', '/sessions/current')).status).toBe(200);
  expect(browser.cookie).toBe('');
  expect((await browser.send('DELETE', '/sessions/current')).status).toBe(200);
});

test('one session is ended by its owner, with its queues, polls and sockets, and nothing else is', async () => {
  const { server, browser } = await opened();
  const { mel, max } = server.people;
  const other = openBrowser(server);
  await browser.logIn(mel);
  await other.logIn(mel);
  const mine = (await browser.send('POST', '/register')).body;
  const theirs = (await other.send('POST', '/register')).body;
  const position = ({ queue_id, last_event_id }: typeof mine) =>
    `?queue_id=${queue_id}&last_event_id=${last_event_id}`;
  const origin = { origin: `http://test.localhost:${server.app.port}` };
  const socket = await other.socket(position(theirs), origin);
  expect(await socket.frame('hello')).toMatchObject({ resumed: true });
  const byKey = await server.register(mel);
  const { sessions } = (await browser.get('/sessions')).body;
  const { id } = sessions.find((one: { is_current: boolean }) => !one.is_current);

  await givePasswords(server, max);
  const stranger = openBrowser(server);
  await stranger.logIn(max);
  const path = `/sessions/${id}`;
  expect((await stranger.send('DELETE', path)).body.msg).toBe('No such session');
  expect((await browser.send('DELETE', path)).status).toBe(200);
  expect((await browser.send('DELETE', path)).body.msg).toBe('No such session');

  expect((await socket.closed()).code).toBe(4002);
  expect(await other.get('/users/me')).toMatchObject(ENDED);
  const again = await other.socket(position(theirs), origin);
  expect(await again.closed()).toMatchObject({
    code: 4001,
    reason: expect.stringContaining('ended'),
  });
  expect((await browser.get(`/events${position(mine)}&dont_block=true`)).status).toBe(200);
  expect(await byKey.now()).toEqual([]);
});

test('all other sessions are ended at once', async () => {
  const { server, browser } = await opened();
  const { mel } = server.people;
  const others = [openBrowser(server), openBrowser(server)];
  for (const one of [browser, ...others]) await one.logIn(mel);
  expect((await browser.send('DELETE', '/sessions')).status).toBe(200);
  for (const one of others) expect(await one.get('/users/me')).toMatchObject(ENDED);
  expect((await browser.get('/sessions')).body.sessions).toHaveLength(1);
  expect((await server.delete(mel, '/sessions')).status).toBe(200);
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
});

test('the oldest session makes room', async () => {
  const { server, browser } = await opened();
  const { mel } = server.people;
  await browser.logIn(mel);
  const others = Array.from({ length: 20 }, () => openBrowser(server));
  for (const one of others) {
    await server.advance(1);
    await one.logIn(mel);
  }
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
  expect((await others[0]?.get('/sessions'))?.body.sessions).toHaveLength(20);
});

test('a browser that logs in again, perhaps as somebody else, leaves its former session', async () => {
  const { server, browser } = await opened();
  const { mel, max } = server.people;
  await browser.logIn(mel);
  const { cookie } = browser;
  expect((await browser.logIn(max)).body.user_id).toBe(max.id);
  expect((await browser.get('/users/me')).body.user_id).toBe(max.id);
  browser.cookie = cookie;
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
  // A wrong password ends nothing.
  await browser.logIn(mel);
  expect((await browser.logIn(max, 'wrong')).status).toBe(401);
  expect((await browser.get('/sessions')).body.sessions).toHaveLength(1);
});

test('log-ins at once are sessions of their own', async () => {
  const { server } = await opened();
  const { mel } = server.people;
  const browsers = Array.from({ length: 4 }, () => openBrowser(server));
  const replies = await Promise.all(browsers.map((one) => one.logIn(mel)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(browsers.map(({ cookie }) => cookie)).size).toBe(4);
  for (const one of browsers) expect((await one.get('/users/me')).status).toBe(200);
});

test.each([
  { why: 'a wrong password', password: 'wrong horse', status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'no address', username: 'mel', status: 400, code: 'BAD_REQUEST' },
  { why: 'nobody', username: 'nobody@example.com', status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'no password', password: undefined, status: 400, code: 'REQUEST_VARIABLE_MISSING' },
])('a log-in is refused: $why', async ({ status, code, why: _, ...given }) => {
  const { server, browser } = await opened();
  const params = { username: server.people.mel.email, password: PASSWORD, ...given };
  const sent = Object.fromEntries(Object.entries(params).filter(([, value]) => value));
  const reply = await browser.send('POST', '/sessions', sent);
  expect(reply).toMatchObject({ status, body: { code } });
  expect(reply.headers['set-cookie']).toBeUndefined();
  expect(browser.cookie).toBe('');
});

async function opened(): Promise<{
  readonly server: TestServer;
  readonly browser: ReturnType<typeof openBrowser>;
}> {
  const server = await startServer();
  await givePasswords(server, server.people.mel, server.people.max);
  return { server, browser: openBrowser(server) };
}
