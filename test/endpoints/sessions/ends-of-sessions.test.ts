import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { SESSION_IDLE_MS, SESSION_LIFE_MS } from '../../../src/domain/limits/credentials.ts';
import {
  type Browser,
  givePasswords,
  openBrowser,
  PASSWORD,
} from '../../support/people/session-browser.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ENDED = {
  status: 401,
  body: { code: 'UNAUTHORIZED', msg: 'The session has ended; log in again' },
};
const NEW = 'battery staple';

test('a session that is not used for 30 days has ended, and its rows go', async () => {
  const { server, browser } = await loggedIn();
  await server.leap(SESSION_IDLE_MS - 1);
  expect((await browser.get('/users/me')).status).toBe(200);
  await server.leap(SESSION_IDLE_MS - 2_000);
  expect((await browser.get('/users/me')).status).toBe(200);
  await server.leap(SESSION_IDLE_MS);
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
  await server.leap(2 * HOUR);
  await expect.poll(() => rows(server)).toEqual({ sessions: 0, times: 0 });
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
});

test('a session that is used each day ends after a year', async () => {
  const { server, browser } = await loggedIn();
  for (let days = 20; days < 365; days += 20) {
    await server.leap(20 * DAY);
    expect((await browser.get('/users/me')).status).toBe(200);
  }
  await server.leap(SESSION_LIFE_MS - 18 * 20 * DAY - 1);
  expect((await browser.get('/users/me')).status).toBe(200);
  await server.leap(1);
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
});

test('a use counts also when it is in memory only, and when a socket is all that there is', async () => {
  const { server, browser } = await loggedIn();
  await server.leap(29 * DAY);
  expect((await browser.get('/users/me')).status).toBe(200);
  // The sweep looks before the hour is over in which the housekeeping writes the use.
  await server.leap(DAY + 2 * HOUR);
  expect((await browser.get('/users/me')).status).toBe(200);
  const { queue_id, last_event_id } = (await browser.send('POST', '/register')).body;
  const origin = { origin: `http://test.localhost:${server.app.port}` };
  const query = `?queue_id=${queue_id}&last_event_id=${last_event_id}`;
  const socket = await browser.socket(query, origin);
  expect(await socket.frame('hello')).toMatchObject({ resumed: true });
  for (let days = 0; days < 40; days += 10) {
    await server.leap(10 * DAY);
    await server.advance(HOUR);
  }
  const ping = { type: 'request', id: 1, method: 'GET', path: '/users/me' };
  socket.send(ping);
  expect(await socket.frame('reply')).toMatchObject({ status: 200 });
});

test('reading writes nothing: the use of a session is noted once an hour', async () => {
  const { server, browser } = await loggedIn();
  const noted = () =>
    server.perform((tx) => [...tx.keyUses.under([server.people.mel.id])].map(([, row]) => row));
  const before = await noted();
  await server.advance(60_000);
  for (let count = 0; count < 5; count += 1) await browser.get('/users/me');
  expect(await noted()).toEqual(before);
  const [session] = (await browser.get('/sessions')).body.sessions;
  expect(session.last_used_at).toBeGreaterThanOrEqual(before[0]?.usedAt ?? 0);
});

test('a new password ends all sessions but the one that asks, and all keys', async () => {
  const { server, browser } = await loggedIn();
  const { mel } = server.people;
  const thief = openBrowser(server);
  await thief.logIn(mel);
  const mine = await registered(browser);
  const theirs = await registered(thief);
  const change = { old_password: PASSWORD, new_password: NEW };
  expect((await browser.send('PATCH', '/settings', change)).status).toBe(200);
  expect(await thief.get('/users/me')).toMatchObject(ENDED);
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await browser.get(poll(mine))).status).toBe(200);
  expect(await server.perform((tx) => tx.queues.has([theirs.queue_id]))).toBe(false);
  expect((await thief.logIn(mel)).body.code).toBe('AUTHENTICATION_FAILED');
  expect((await thief.logIn(mel, NEW)).status).toBe(200);
});

test('a new password that is set by a key ends every session', async () => {
  const { server, browser } = await loggedIn();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { old_password: PASSWORD, new_password: NEW });
  expect((await server.get(mel, '/users/me')).status).toBe(200);
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
});

test('a new API key ends no session, and no queue of one', async () => {
  const { server, browser } = await loggedIn();
  const { mel } = server.people;
  const byKey = await server.register(mel);
  const bySession = await registered(browser);
  expect((await browser.send('POST', '/users/me/api_key/regenerate')).status).toBe(200);
  expect((await browser.get(poll(bySession))).status).toBe(200);
  expect(await server.perform((tx) => tx.queues.has([byKey.id]))).toBe(false);
});

test('no session outlives a deactivation, of the account or of the organization', async () => {
  const { server, browser } = await loggedIn();
  const { ada, mel } = server.people;
  const socket = await openedSocket(server, browser);
  await server.delete(ada, `/users/${mel.id}`);
  expect((await socket.closed()).code).toBe(4001);
  expect(await browser.get('/users/me')).toMatchObject({ status: 401 });
  await server.post(ada, `/users/${mel.id}/reactivate`);
  expect(await browser.get('/users/me')).toMatchObject(ENDED);

  expect((await browser.logIn(mel)).status).toBe(200);
  const again = await openedSocket(server, browser);
  await runCommand(server.app.realms, 'realm deactivate', { realm: 'test' });
  await again.closed();
  const refused = await browser.get('/users/me');
  expect(refused.body.msg).toBe('This organization has been deactivated');
  expect((await browser.logIn(mel)).body.code).toBe('REALM_DEACTIVATED');
  await runCommand(server.app.realms, 'realm reactivate', { realm: 'test' });
  expect(await browser.get('/users/me')).toMatchObject(ENDED);
  expect((await browser.logIn(mel)).status).toBe(200);
});

test('deactivated people do not log in, and nor do bots', async () => {
  const { server } = await loggedIn();
  const { ada, mel, bot } = server.people;
  await givePasswords(server, bot);
  await server.delete(ada, `/users/${mel.id}`);
  const browser = openBrowser(server);
  expect(await browser.logIn(mel)).toMatchObject({
    status: 401,
    body: { code: 'USER_DEACTIVATED' },
  });
  await server.set('authentication_methods', { Email: false });
  expect((await browser.logIn(ada)).body.code).toBe('PASSWORD_AUTH_DISABLED');
});

test('wrong passwords are counted as those of keys are', async () => {
  const { server, browser } = await loggedIn();
  const { max } = server.people;
  await givePasswords(server, max);
  for (let count = 0; count < 5; count += 1) {
    expect((await openBrowser(server).logIn(max, 'wrong')).status).toBe(401);
  }
  expect(await openBrowser(server).logIn(max)).toMatchObject({
    status: 429,
    body: { code: 'RATE_LIMIT_HIT' },
  });
  const username = max.email;
  const byKey = await server.post(null, '/fetch_api_key', { username, password: PASSWORD });
  expect(byKey.status).toBe(429);
  // The guesses of strangers log nobody out.
  expect((await browser.get('/users/me')).status).toBe(200);
});

test('sessions survive a restart, and their ends are in the audit log without the secret', async () => {
  const { server, browser } = await loggedIn();
  await server.restart();
  expect((await browser.get('/users/me')).status).toBe(200);
  const [, value = ''] = browser.cookie.split('=');
  await browser.send('DELETE', '/sessions/current');
  const log = await server.perform((tx) =>
    [...tx.auditLog.range({})].map(([, row]) => row).filter(({ kind }) => kind === 'session'),
  );
  const { id } = server.people.mel;
  expect(log).toMatchObject([
    {
      by: 'user',
      actingUserId: id,
      before: null,
      after: { user_id: id, client: 'Firefox on Linux' },
    },
    {
      by: 'user',
      actingUserId: id,
      before: { user_id: id, client: 'Firefox on Linux' },
      after: null,
    },
  ]);
  expect(JSON.stringify(log)).not.toContain(value.split('x')[1]);
});

async function loggedIn() {
  const server = await startServer();
  await givePasswords(server, server.people.mel);
  const browser = openBrowser(server);
  expect((await browser.logIn(server.people.mel)).status).toBe(200);
  return { server, browser };
}

interface Registered {
  readonly queue_id: string;
  readonly last_event_id: number;
}

const registered = async (browser: Browser): Promise<Registered> =>
  (await browser.send('POST', '/register')).body;

const poll = ({ queue_id, last_event_id }: Registered) =>
  `/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`;

async function openedSocket(server: TestServer, browser: Browser) {
  const { queue_id, last_event_id } = await registered(browser);
  const socket = await browser.socket(`?queue_id=${queue_id}&last_event_id=${last_event_id}`, {
    origin: `http://test.localhost:${server.app.port}`,
  });
  await socket.frame('hello');
  return socket;
}

const rows = (server: TestServer) =>
  server.perform((tx) => ({
    sessions: [...tx.sessions.keys({})].length,
    times: [...tx.sessionTimes.keys({})].length,
  }));
