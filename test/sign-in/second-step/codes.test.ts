import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import {
  CODE_FAILURES_MAX,
  CODE_WAIT_MAX_MS,
  RECENT_LOG_IN_MS,
} from '../../../src/domain/limits/credentials.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { mails } from '../../support/notifications/mails.ts';
import { addApp, giveSecondStep } from '../../support/people/second-steps.ts';
import { givePasswords, openBrowser, PASSWORD } from '../../support/people/session-browser.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PERIOD_MS = 30_000;

test('a program gets a key with a code, and one without second step gets it as before', async () => {
  const { server, mel, code } = await withApp();
  const { gus } = server.people;
  await givePasswords(server, gus);
  expect((await fetchKey(server, gus)).body.result).toBe('success');
  expect(await fetchKey(server, mel)).toMatchObject({
    status: 401,
    body: { code: 'SECOND_STEP_REQUIRED', second_step_methods: ['app', 'recovery_code'] },
  });
  const wrong = await server.post(null, '/fetch_api_key', { username: mel.email, password: 'no' });
  expect(wrong.body.code).toBe('AUTHENTICATION_FAILED');
  await server.leap(PERIOD_MS);
  expect((await fetchKey(server, mel, await code())).body).toMatchObject({ user_id: mel.id });
});

test.each([
  { has: ['app'], says: 'Enter a code of your app' },
  { has: ['passkey'], says: 'Log in with a passkey' },
  {
    has: ['app', 'recovery_code'],
    says: 'Enter a code of your app, or enter a recovery code',
  },
  {
    has: ['passkey', 'recovery_code'],
    says: 'Log in with a passkey, or enter a recovery code',
  },
  {
    has: ['app', 'passkey', 'recovery_code'],
    says: 'Enter a code of your app, or log in with a passkey, or enter a recovery code',
  },
])('a log-in is told of the ways that the account has: $has', async ({ has, says }) => {
  const server = await startServer();
  const { mel } = server.people;
  await givePasswords(server, mel);
  await giveSecondStep(server, mel.id);
  await server.perform((tx) => {
    const row = tx.secondSteps.get([mel.id]);
    if (row === undefined) throw new Error('There is no second step');
    tx.secondSteps.put([mel.id], {
      ...row,
      app: has.includes('app') ? row.app : null,
      recoveryHashes: has.includes('recovery_code') ? row.recoveryHashes : [],
    });
    if (!has.includes('passkey')) tx.passkeys.remove([mel.id, 'x']);
  });
  const { body } = await fetchKey(server, mel);
  expect(body).toMatchObject({ msg: says, second_step_methods: has });
});

test('the clients of the account alone are told that it has a second step, and that it has none', async () => {
  const server = await startServer();
  const { mel, gus, ona } = server.people;
  await givePasswords(server, mel);
  const stranger = await server.register(gus, { event_types: ['realm_user'] });
  await expectExactAfter(server, async () => {
    expect((await server.register(mel)).state).toMatchObject({ has_second_step: false });
    await addApp(server, mel, { password: PASSWORD, at: await now(server) });
    expect((await server.register(mel)).state).toMatchObject({ has_second_step: true });
    expect((await server.register(gus)).state).toMatchObject({ has_second_step: false });
  });
  await expectExactAfter(server, async () => {
    await server.delete(ona, `/users/${mel.id}/second_step`);
    expect((await server.register(mel)).state).toMatchObject({ has_second_step: false });
  });
  expect(await stranger.now()).toEqual([]);
});

test('an account without a password takes a log-in of the last ten minutes in its place', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await givePasswords(server, mel);
  const browser = openBrowser(server);
  expect((await browser.logIn(mel)).status).toBe(200);
  const step = async () => (await browser.get('/users/me/second_step')).body;
  expect(await step()).toMatchObject({ asks_password: true });
  expect(await browser.send('POST', '/users/me/second_step/app')).toMatchObject({ status: 400 });
  // As after the first log-in by a provider.
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, passwordHash: null });
  });
  expect(await step()).toMatchObject({ asks_password: false });
  const byKey = await server.post(mel, '/users/me/second_step/app', { password: PASSWORD });
  expect(byKey).toMatchObject({ status: 400, body: { msg: expect.stringContaining('in again') } });
  await server.leap(RECENT_LOG_IN_MS - 60_000);
  const begun = await browser.send('POST', '/users/me/second_step/app');
  expect(begun).toMatchObject({ status: 200, body: { secret: expect.any(String) } });
  expect((await browser.send('POST', '/users/me/passkeys/options')).status).toBe(200);
  await server.leap(60_000);
  const late = await browser.send('POST', '/users/me/second_step/app');
  expect(late).toMatchObject({ status: 400, body: { msg: expect.stringContaining('in again') } });
});

test('a code counts at the edges of its window, and once', async () => {
  const { server, mel, code } = await withApp();
  // Begin in the middle of a time step, so that the edges are known.
  await server.leap(3 * PERIOD_MS - ((await now(server)) % PERIOD_MS) + PERIOD_MS / 2);
  expect((await fetchKey(server, mel, await code(-2))).body.code).toBe('SECOND_STEP_FAILED');
  expect((await fetchKey(server, mel, await code(2))).body.code).toBe('SECOND_STEP_FAILED');
  expect((await fetchKey(server, mel, await code(-1))).status).toBe(200);
  expect((await fetchKey(server, mel, await code(-1))).body.code).toBe('SECOND_STEP_FAILED');
  const late = await code(1);
  expect((await fetchKey(server, mel, late)).status).toBe(200);
  // Both the code that was used and the earlier one, which was not, have ended.
  expect((await fetchKey(server, mel, late)).body.code).toBe('SECOND_STEP_FAILED');
  expect((await fetchKey(server, mel, await code())).body.code).toBe('SECOND_STEP_FAILED');
});

test('of the same code sent many times at once one counts', async () => {
  const { server, mel, code } = await withApp();
  await server.leap(PERIOD_MS);
  const same = await code();
  const replies = await Promise.all(Array.from({ length: 3 }, () => fetchKey(server, mel, same)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a recovery code logs in once, and its form does not matter', async () => {
  const { server, mel, codes } = await withApp();
  expect(codes).toHaveLength(10);
  expect(new Set(codes).size).toBe(10);
  const [first = '', second = ''] = codes;
  expect((await fetchKey(server, mel, first)).status).toBe(200);
  expect((await fetchKey(server, mel, first)).body.code).toBe('SECOND_STEP_FAILED');
  expect((await fetchKey(server, mel, ` ${second.toUpperCase().replace('-', ' ')}`)).status).toBe(
    200,
  );
  const { body } = await server.get(mel, '/users/me/second_step');
  expect(body).toMatchObject({ has_app: true, recovery_codes_left: 8, passkeys: [] });
  const renewed = await server.post(mel, '/users/me/second_step/recovery_codes', {
    password: PASSWORD,
  });
  expect(renewed.body.recovery_codes).toHaveLength(10);
  expect((await fetchKey(server, mel, codes[2] ?? '')).body.code).toBe('SECOND_STEP_FAILED');
});

test('a guesser waits longer and longer, and then the password is locked until it is reset', async () => {
  const { server, mel, code } = await withApp({ CONFAB_OPERATOR: '127.0.0.1:0' });
  const seen: unknown[] = [];
  for (let guess = 0; guess < CODE_FAILURES_MAX; guess++) {
    const { body } = await fetchKey(server, mel, 'aaaaa-aaaaa');
    seen.push(body.code);
    if (guess >= 2 && guess < CODE_FAILURES_MAX - 1) {
      expect((await fetchKey(server, mel, await code())).body.code).toBe('RATE_LIMIT_HIT');
    }
    await server.leap(CODE_WAIT_MAX_MS);
  }
  expect(seen).toEqual([
    ...Array(CODE_FAILURES_MAX - 1).fill('SECOND_STEP_FAILED'),
    'SECOND_STEP_LOCKED',
  ]);
  expect((await fetchKey(server, mel, await code())).body.code).toBe('SECOND_STEP_LOCKED');
  // Operators and the person hear of it once.
  expect(server.warnings.filter((line) => line.includes('too many wrong codes'))).toEqual([
    expect.stringContaining(`"userId":${mel.id}`),
  ]);
  const metrics = await fetch(`${server.app.operatorUrl}/metrics`);
  expect(await metrics.text()).toMatch(/^confab_second_steps_locked_total 1$/m);
  const told = await mails(server, 2);
  expect(told.some((mail) => mail.includes('Log-in with your password is locked'))).toBe(true);
  const rows = await server.get(server.people.ona, '/realm/audit_log', { kinds: ['second_step'] });
  expect(JSON.stringify(rows.body)).toContain('"is_locked"');
  await runCommand(server.app.realms, 'user password', {
    email: mel.email,
    password: 'another horse',
  });
  await server.leap(PERIOD_MS);
  expect((await fetchKey(server, mel, await code(), 'another horse')).status).toBe(200);
});

test('a browser needs the code as well, and changes need the password', async () => {
  const { server, mel, code } = await withApp();
  const browser = openBrowser(server);
  expect((await browser.logIn(mel)).body.code).toBe('SECOND_STEP_REQUIRED');
  expect(browser.cookie).toBe('');
  await server.leap(PERIOD_MS);
  const fields = { username: mel.email, password: PASSWORD, second_step_code: await code() };
  expect((await browser.send('POST', '/sessions', fields)).status).toBe(200);
  const path = '/users/me/second_step/app';
  expect((await server.delete(mel, path, { password: 'no' })).body.msg).toBe('Wrong password!');
  expect((await server.delete(mel, path, { password: PASSWORD })).status).toBe(200);
  expect((await server.get(mel, '/users/me/second_step')).body).toMatchObject({
    has_app: false,
    recovery_codes_left: 0,
  });
  expect((await fetchKey(server, mel)).status).toBe(200);
});

test('administrators take a second step away, but that of an owner only owners', async () => {
  const { server, mel } = await withApp();
  const { ada, ona } = server.people;
  const path = (person: Person) => `/users/${person.id}/second_step`;
  expect((await server.delete(server.people.gus, path(mel))).status).toBe(400);
  expect((await server.delete(ada, path(ona))).body.msg).toBe('Must be an organization owner');
  expect((await server.delete(ada, path(mel))).status).toBe(200);
  expect((await fetchKey(server, mel)).status).toBe(200);
});

test('nothing of a secret is stored as it is, nor is in the audit log', async () => {
  const { server, secret, codes } = await withApp();
  const rows = await server.perform((tx) => [...tx.secondSteps.range({})]);
  const log = await server.get(server.people.ona, '/realm/audit_log');
  for (const text of [JSON.stringify(rows), JSON.stringify(log.body)]) {
    expect(text).not.toContain(secret);
    for (const code of codes) expect(text).not.toContain(code.slice(0, 5));
  }
});

async function withApp(env: Readonly<Record<string, string>> = {}) {
  const server = await startServer({ env });
  const { mel } = server.people;
  await givePasswords(server, mel);
  const begun = await server.post(mel, '/users/me/second_step/app', { password: PASSWORD });
  const secret = String(begun.body.secret);
  const app = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = async (steps = 0) =>
    app.generate({ timestamp: (await now(server)) + steps * PERIOD_MS });
  const early = await server.post(mel, '/users/me/second_step/app/confirm', { code: '12' });
  expect(early.status).toBe(400);
  expect((await fetchKey(server, mel)).status).toBe(200);
  const done = await server.post(mel, '/users/me/second_step/app/confirm', { code: await code() });
  return { server, mel, secret, code, codes: done.body.recovery_codes as readonly string[] };
}

const now = (server: TestServer) => server.perform((tx) => tx.now);

const fetchKey = (server: TestServer, { email }: Person, code?: string, password = PASSWORD) =>
  server.post(null, '/fetch_api_key', {
    username: email,
    password,
    ...(code === undefined ? {} : { second_step_code: code }),
  });

test('an organization requires a second step of all: nothing else works before it is added', async () => {
  const { server, mel } = await withApp();
  const { ona, gus, bot } = server.people;
  await givePasswords(server, ona, gus);
  const required = { require_second_step: true };
  expect((await server.patch(ona, '/realm', required)).body.msg).toContain('your own account');
  await server.set('require_second_step', true);
  expect((await server.get(mel, '/users/me')).status).toBe(200);
  expect((await server.get(bot, '/users/me')).status).toBe(200);
  for (const path of ['/users/me', '/events', '/messages']) {
    const refused = await server.get(gus, path);
    expect(refused.body.code).toBe('SECOND_STEP_MISSING');
  }
  const begun = await server.post(gus, '/users/me/second_step/app', { password: PASSWORD });
  const app = new TOTP({ secret: Secret.fromBase32(String(begun.body.secret)) });
  const code = app.generate({ timestamp: await now(server) });
  const done = await server.post(gus, '/users/me/second_step/app/confirm', { code });
  expect(done.body.recovery_codes).toHaveLength(10);
  expect((await server.get(gus, '/users/me')).status).toBe(200);
});

test('the operator takes a second step away', async () => {
  const { server, mel } = await withApp();
  await runCommand(server.app.realms, 'user reset-2fa', { email: mel.email });
  expect((await fetchKey(server, mel)).status).toBe(200);
});
