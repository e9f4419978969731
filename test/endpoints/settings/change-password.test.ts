import { expect, test } from 'vitest';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const OLD = 'correct horse';
const NEW = 'battery staple';

test('a password is changed with the one before, and the key that asks stays', async () => {
  const server = await startWithPassword();
  const { mel } = server.people;
  const change = { old_password: OLD, new_password: NEW, enter_sends: true };
  const reply = await server.patch(mel, '/settings', change);
  expect([reply.status, reply.body]).toEqual([200, { result: 'success', msg: '' }]);
  expect(await logIn(server, OLD)).toBe('AUTHENTICATION_FAILED');
  expect(await logIn(server, NEW)).toBeUndefined();
  expect((await server.get(mel, '/users/me')).status).toBe(200);
  const options = { client_capabilities: { notification_settings_null: true } };
  expect((await server.register(mel, options)).state.enter_sends).toBe(true);
});

test.each<{ params: Params; code?: string; msg: string }>([
  { params: { old_password: 'wrong', new_password: NEW }, msg: 'Wrong password!' },
  {
    params: { new_password: NEW },
    code: 'REQUEST_VARIABLE_MISSING',
    msg: "Missing 'old_password' argument",
  },
  {
    params: { old_password: OLD, new_password: 'Qwerty123!' },
    msg: 'The password is too weak: it is one of those that many people have',
  },
  {
    params: { old_password: OLD, new_password: 'short' },
    msg: 'A password has between 6 and 100 characters',
  },
  {
    params: { old_password: OLD, new_password: 'x'.repeat(101) },
    msg: 'A password has between 6 and 100 characters',
  },
])('is refused, and nothing else is changed: $params', async ({ params, code, msg }) => {
  const server = await startWithPassword();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const reply = await server.patch(mel, '/settings', { ...params, enter_sends: true });
  expect([reply.status, reply.body]).toMatchObject([400, { code: code ?? 'BAD_REQUEST', msg }]);
  expect(await logIn(server, OLD)).toBeUndefined();
  expect(await queue.now()).toEqual([]);
});

test('an old password without a new one changes nothing', async () => {
  const server = await startWithPassword();
  const reply = await server.patch(server.people.mel, '/settings', { old_password: OLD });
  expect([reply.status, reply.body]).toEqual([200, { result: 'success', msg: '' }]);
  expect(await logIn(server, OLD)).toBeUndefined();
});

test('an account without a password has no old one', async () => {
  const server = await startServer();
  const change = { old_password: '', new_password: NEW };
  const reply = await server.patch(server.people.mel, '/settings', change);
  expect(reply.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Wrong password!' });
});

test('whoever guesses with a key of the account waits for their own guesses alone', async () => {
  const server = await startWithPassword();
  const guess = { old_password: 'wrong', new_password: NEW };
  for (let count = 0; count < 5; count += 1) {
    const reply = await server.patch(server.people.mel, '/settings', guess);
    expect(reply.body.msg).toBe('Wrong password!');
  }
  const right = { old_password: OLD, new_password: NEW };
  const reply = await server.patch(server.people.mel, '/settings', right);
  expect([reply.status, reply.body.code]).toEqual([429, 'RATE_LIMIT_HIT']);
  expect(await logIn(server, OLD)).toBeUndefined();
});

test('who is logged in changes their password whatever strangers guess at the same address', async () => {
  const server = await startWithPassword();
  for (let count = 0; count < 6; count += 1) await logIn(server, 'wrong');
  expect(await logIn(server, OLD)).toBe('RATE_LIMIT_HIT');
  const right = { old_password: OLD, new_password: NEW };
  expect((await server.patch(server.people.mel, '/settings', right)).status).toBe(200);
});

async function startWithPassword(): Promise<TestServer> {
  const server = await startServer();
  const passwordHash = await hashPassword(OLD);
  await server.perform((tx) => {
    const user = tx.users.get([server.people.mel.id]) ?? expect.fail('there is mel');
    tx.users.put([user.id], { ...user, passwordHash });
  });
  return server;
}

const logIn = async (server: TestServer, password: string) =>
  (await server.post(null, '/fetch_api_key', { username: 'mel@example.com', password })).body.code;
