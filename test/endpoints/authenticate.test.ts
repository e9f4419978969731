import { expect, test } from 'vitest';
import { hashOfKey } from '../../src/operations/access/accounts.ts';
import type { RealmTransaction } from '../../src/operations/access/caller.ts';
import { basic } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const login = (email: string, apiKey: string) =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

const asMel = (server: TestServer, authorization: string) =>
  server.request('GET', '/users/me', { headers: { authorization } });

test.each<{ how: string; header: (mel: Person) => string }>([
  { how: 'the real address', header: basic },
  { how: 'the address in another case', header: (mel) => login('MEL@Example.COM', mel.apiKey) },
  { how: 'spaces around both', header: (mel) => login(' mel@example.com ', ` ${mel.apiKey} `) },
  { how: 'the scheme in lower case', header: (mel) => basic(mel).replace('Basic', 'basic') },
  { how: 'more than one space', header: (mel) => basic(mel).replace(' ', '   ') },
  { how: 'no padding', header: (mel) => basic(mel).replace(/=+$/, '') },
  {
    how: 'the address for the API alone',
    header: (mel) => login(`user${mel.id}@test.localhost`, mel.apiKey),
  },
])('a person logs in with $how', async ({ header }) => {
  const server = await startServer();
  const reply = await asMel(server, header(server.people.mel));
  expect(reply).toMatchObject({ status: 200, body: { user_id: server.people.mel.id } });
});

test('a bot logs in like a person', async () => {
  const server = await startServer();
  const { bot } = server.people;
  expect((await server.get(bot, '/users/me')).body).toMatchObject({ user_id: 7, is_bot: true });
});

test.each<{ why: string; header: (server: TestServer) => string; msg: RegExp }>([
  {
    why: 'a wrong key',
    header: ({ people }) => login(people.mel.email, 'f'.repeat(64)),
    msg: /^Invalid API key$/,
  },
  {
    why: 'a key cut short',
    header: ({ people }) => login(people.mel.email, people.mel.apiKey.slice(1)),
    msg: /^Invalid API key$/,
  },
  {
    why: 'a key in capitals',
    header: ({ people }) => login(people.mel.email, people.mel.apiKey.toUpperCase()),
    msg: /^Invalid API key$/,
  },
  {
    why: 'no key',
    header: ({ people }) => login(people.mel.email, ''),
    msg: /^Invalid API key$/,
  },
  {
    why: 'the hash of the key',
    header: ({ people }) => login(people.mel.email, hashOfKey(people.mel.apiKey)),
    msg: /^Invalid API key$/,
  },
  {
    why: 'the key of another user',
    header: ({ people }) => login(people.mel.email, people.max.apiKey),
    msg: /^Invalid API key$/,
  },
  {
    why: 'an address of nobody',
    header: ({ people }) => login('nobody@example.com', people.mel.apiKey),
    msg: /^Invalid API key$/,
  },
  {
    why: 'an API address of nobody',
    header: ({ people }) => login('user999@test.localhost', people.mel.apiKey),
    msg: /^Invalid API key$/,
  },
  {
    why: 'an API address of another host',
    header: ({ people }) => login(`user${people.mel.id}@acme.localhost`, people.mel.apiKey),
    msg: /^Invalid API key$/,
  },
  {
    why: 'no colon',
    header: () => `Basic ${Buffer.from('mel').toString('base64')}`,
    msg: /^Invalid authorization header for basic auth$/,
  },
  { why: 'what is not base64', header: () => 'Basic ***', msg: /^Invalid authorization header/ },
  { why: 'nothing after the scheme', header: () => 'Basic', msg: /^Invalid authorization header/ },
  { why: 'an empty header', header: () => '', msg: /^Not logged in/ },
])('$why is UNAUTHORIZED, and the answer says how to log in', async ({ header, msg }) => {
  const server = await startServer();
  const { status, headers, body } = await asMel(server, header(server));
  expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="api"']);
  expect(body).toEqual({
    result: 'error',
    msg: expect.stringMatching(msg),
    code: 'UNAUTHORIZED',
  });
});

test('no header at all is UNAUTHORIZED, before any parameter is looked at', async () => {
  const server = await startServer();
  const reply = await server.post(null, '/messages', { type: 'nonsense' });
  expect(reply).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
});

test.each(['Bearer abc', 'Digest username="mel"', 'Token', 'mel:key'])(
  'another scheme than Basic is a bad request: %s',
  async (authorization) => {
    const server = await startServer();
    const { status, headers, body } = await asMel(server, authorization);
    expect([status, headers['www-authenticate']]).toEqual([400, undefined]);
    expect(body).toEqual({
      result: 'error',
      msg: expect.stringContaining('HTTP basic authentication'),
      code: 'BAD_REQUEST',
    });
  },
);

test('an account that is deactivated is told so with its own key, and nothing with another', async () => {
  const server = await startServer();
  const { mel } = server.people;
  expect((await server.get(mel, '/users/me')).status).toBe(200);
  await change(server, (tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, isActive: false });
  });
  expect(await server.get(mel, '/users/me')).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', msg: 'Account is deactivated' },
  });
  expect((await asMel(server, login(mel.email, 'wrong'))).body.msg).toBe('Invalid API key');
});

test('an organization that is deactivated lets nobody in', async () => {
  const server = await startServer();
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  await change(server, (tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...row, isActive: false });
  });
  expect(await server.get(server.people.mel, '/users/me')).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', msg: 'This organization has been deactivated' },
  });
});

test('a key that is revoked stops at once, however often it was used', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (let index = 0; index < 3; index++) {
    expect((await server.get(mel, '/users/me')).status).toBe(200);
  }
  await change(server, (tx) => tx.apiKeys.remove([mel.id, hashOfKey(mel.apiKey)]));
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await server.get(server.people.max, '/users/me')).status).toBe(200);
});

test('what an account may do is looked up anew for each request', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const wanted = { subscriptions: [{ name: 'news' }], is_default_stream: true };
  expect((await server.post(mel, '/users/me/subscriptions', wanted)).status).toBe(400);
  await change(server, (tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, role: 200 });
  });
  expect((await server.post(mel, '/users/me/subscriptions', wanted)).status).toBe(200);
});

test('no key is stored, only its hash', async () => {
  const server = await startServer();
  const { reader } = server.app.realms.named('test') ?? expect.fail('there is a realm');
  const stored = Array.from(reader.apiKeys.range({}), ([[, hash]]) => hash);
  const keys = Object.values(server.people).map(({ apiKey }) => apiKey);
  expect(stored).toHaveLength(keys.length);
  expect(new Set(stored)).toEqual(new Set(keys.map(hashOfKey)));
  expect(stored.filter((hash) => keys.includes(hash))).toEqual([]);
});

function change(server: TestServer, write: (tx: RealmTransaction) => void): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform(write);
}
