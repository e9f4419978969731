import { expect, test } from 'vitest';
import { API_KEYS_PER_USER_MAX } from '../../../src/domain/limits/credentials.ts';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PASSWORD = 'correct horse';
const HASH = hashPassword(PASSWORD);
const mels = { username: 'mel@example.com', password: PASSWORD };

test('a right password gives a key that works, the real address and the id', async () => {
  const server = await withPassword();
  const { status, body } = await server.post(null, '/fetch_api_key', mels);
  expect([status, body]).toEqual([
    200,
    {
      result: 'success',
      msg: '',
      api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
      email: 'mel@example.com',
      user_id: server.people.mel.id,
    },
  ]);
  const again = { ...server.people.mel, apiKey: body.api_key };
  expect((await server.get(again, '/users/me')).status).toBe(200);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
});

test.each([
  { how: 'the address in another case, with spaces', username: ' MEL@Example.com ' },
  { how: 'the address for the API alone', username: 'user4@test.localhost' },
])('the user is named by $how', async ({ username }) => {
  const server = await withPassword();
  const { body } = await server.post(null, '/fetch_api_key', { username, password: PASSWORD });
  expect(body).toMatchObject({ email: 'mel@example.com', user_id: 4 });
});

test('an Authorization header is ignored, even a wrong one', async () => {
  const server = await withPassword();
  const reply = await server.request('POST', '/fetch_api_key', {
    headers: {
      authorization: 'Bearer nonsense',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(mels).toString(),
  });
  expect(reply).toMatchObject({ status: 200, body: { user_id: 4 } });
});

test.each([
  { why: 'a user name that is no address', given: { ...mels, username: 'mel' }, status: 400, code: 'BAD_REQUEST' },
  { why: 'a user name too long', given: { ...mels, username: `${'x'.repeat(300)}@a.de` }, status: 400, code: 'BAD_REQUEST' },
  { why: 'no user name', given: { password: PASSWORD }, status: 400, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'no password', given: { username: mels.username }, status: 400, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'a wrong password', given: { ...mels, password: 'wrong horse' }, status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'an empty password', given: { ...mels, password: '' }, status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'a password with spaces around it', given: { ...mels, password: ` ${PASSWORD} ` }, status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'a password of ten thousand letters', given: { ...mels, password: 'x'.repeat(10_000) }, status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'an address of nobody', given: { ...mels, username: 'nobody@example.com' }, status: 401, code: 'AUTHENTICATION_FAILED' },
  { why: 'an account without a password', given: { ...mels, username: 'max@example.com' }, status: 401, code: 'AUTHENTICATION_FAILED' },
])('$why is refused with $code', async ({ given, status, code }) => {
  const server = await withPassword();
  const reply = await server.post(null, '/fetch_api_key', given);
  expect(reply).toMatchObject({ status, body: { result: 'error', code } });
  expect(reply.body.api_key).toBeUndefined();
}); // biome-ignore format: a table

test('a deactivated account is told so, but only with its password', async () => {
  const server = await withPassword();
  await change(server, (tx) => {
    const row = tx.users.get([4]) ?? expect.fail('mel is there');
    tx.users.put([4], { ...row, isActive: false });
  });
  expect(await server.post(null, '/fetch_api_key', mels)).toMatchObject({
    status: 401,
    body: { code: 'USER_DEACTIVATED' },
  });
  const guess = { ...mels, password: 'wrong horse' };
  expect(await server.post(null, '/fetch_api_key', guess)).toMatchObject({
    status: 401,
    body: { code: 'AUTHENTICATION_FAILED' },
  });
});

test.each([
  { why: 'the organization is deactivated', row: { isActive: false }, code: 'REALM_DEACTIVATED' },
  {
    why: 'passwords are not a way to log in',
    row: { settings: { authentication_methods: { Email: false } } },
    code: 'PASSWORD_AUTH_DISABLED',
  },
])('a right password is refused with $code where $why', async ({ row, code }) => {
  const server = await withPassword();
  await change(server, (tx) => {
    const realm = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...realm, ...row });
  });
  const reply = await server.post(null, '/fetch_api_key', mels);
  expect(reply).toMatchObject({ status: 401, body: { result: 'error', code } });
});

test('after five wrong passwords even the right one has to wait, and others need not', async () => {
  const server = await withPassword();
  const guesses = ['mel@example.com', 'MEL@example.com', 'user4@test.localhost', 'Mel@Example.com'];
  for (const username of [...guesses, 'mel@example.com']) {
    const guess = { username, password: 'wrong horse' };
    expect((await server.post(null, '/fetch_api_key', guess)).status).toBe(401);
  }
  const { status, headers, body } = await server.post(null, '/fetch_api_key', mels);
  expect(status).toBe(429);
  expect(body).toEqual({
    result: 'error',
    code: 'RATE_LIMIT_HIT',
    msg: expect.any(String),
    'retry-after': expect.any(Number),
  });
  expect(body['retry-after']).toBeGreaterThan(1_700);
  expect(body['retry-after']).toBeLessThanOrEqual(1_800);
  expect(headers['retry-after']).toBe(String(body['retry-after']));

  const nobody = { ...mels, username: 'max@example.com' };
  expect((await server.post(null, '/fetch_api_key', nobody)).status).toBe(401);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
});

test('what strangers guess elsewhere makes nobody wait who knows the password', async () => {
  const server = await withPassword();
  const guess = { ...mels, password: 'wrong horse' };
  const from = (localAddress: string, params: object, as: Person | null = null) =>
    server.request('POST', '/fetch_api_key', {
      as,
      localAddress,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...params }).toString(),
    });
  for (let index = 0; index < 5; index++) {
    expect((await from('127.0.0.2', guess)).status).toBe(401);
  }
  expect((await from('127.0.0.2', mels)).status).toBe(429);
  expect((await from('127.0.0.3', mels)).status).toBe(200);
  // A client with a key of the account may do it at the same address: it is logged in.
  expect((await from('127.0.0.2', mels, server.people.mel)).status).toBe(200);
  expect((await from('127.0.0.2', mels, server.people.max)).status).toBe(429);
  // The limit is only a delay: half an hour after the first wrong guess there is one more.
  server.clock.advance(30 * 60_000);
  expect((await from('127.0.0.2', mels)).status).toBe(200);
});

test('guesses that come at once count like guesses one by one', async () => {
  const server = await withPassword();
  const guess = { ...mels, password: 'wrong horse' };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => server.post(null, '/fetch_api_key', guess)),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([
    ...Array(5).fill(401),
    ...Array(3).fill(429),
  ]);
});

test('a right password forgets the wrong ones before it', async () => {
  const server = await withPassword();
  const guess = { ...mels, password: 'wrong horse' };
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 4; index++) await server.post(null, '/fetch_api_key', guess);
    expect((await server.post(null, '/fetch_api_key', mels)).status).toBe(200);
  }
});

test('logging in over and over keeps a bounded number of keys, the issued ones among them', async () => {
  const server = await withPassword();
  const { mel } = server.people;
  const keys: string[] = [];
  for (let index = 0; index < API_KEYS_PER_USER_MAX; index++) {
    server.clock.advance(1_000);
    const { body } = await server.post(null, '/fetch_api_key', mels);
    keys.push(body.api_key);
  }
  const { reader } = server.app.realms.named('test') ?? expect.fail('there is a realm');
  expect([...reader.apiKeys.under([mel.id])]).toHaveLength(API_KEYS_PER_USER_MAX);
  const works = async (apiKey: string) =>
    (await server.get({ ...mel, apiKey }, '/users/me')).status === 200;
  expect(await works(mel.apiKey)).toBe(true);
  expect(await works(keys.at(-1) ?? '')).toBe(true);
  expect(await works(keys[0] ?? '')).toBe(false);
});

/** Mel, whose id is 4, has a password, and nobody else. */
async function withPassword(): Promise<TestServer> {
  const server = await startServer();
  const passwordHash = await HASH;
  await change(server, (tx) => {
    const row = tx.users.get([4]) ?? expect.fail('mel is there');
    tx.users.put([4], { ...row, passwordHash });
  });
  return server;
}

function change(server: TestServer, write: (tx: RealmTransaction) => void): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform(write);
}
