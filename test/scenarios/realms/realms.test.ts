import { describe, expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { type Client, openClient } from '../../support/client.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test.each(['test.localhost', 'TEST.LocalHost', 'test.chat.example.com'])(
  'a realm answers for a host that begins with its name: %s',
  async (host) => {
    const server = await startServer({ env: { CONFAB_DOMAIN: 'chat.example.com' } });
    await server.addRealm('acme');
    const client = as(server, host);
    const { status, body } = await client.get(server.people.mel, '/users/me');
    expect([status, body.full_name]).toEqual([200, 'Mel Member']);
    const { body: settings } = await client.get(null, '/server_settings');
    expect(settings).toMatchObject({
      realm_name: 'test',
      realm_url: `http://${host}:${server.app.port}`,
    });
  },
);

test.each(['localhost', '127.0.0.1', 'chat.example.com', 'acme.localhost', 'a.test.localhost'])(
  'the only realm answers for any other host: %s',
  async (host) => {
    const server = await startServer();
    const { status, body } = await as(server, host).get(server.people.mel, '/users/me');
    expect([status, body.full_name]).toEqual([200, 'Mel Member']);
  },
);

test.each(['localhost', 'test', 'a.test.localhost', 'testlocalhost', 'x.localhost'])(
  'of two realms none answers for a host of neither: %s',
  async (host) => {
    const server = await startServer();
    const { admin: eve } = await server.addRealm('acme');
    const client = as(server, host);
    const { status, body } = await client.get(null, '/server_settings');
    if (host.endsWith('.localhost')) {
      // "Unknown subdomain BR" (reference/endpoints.md 1.19).
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    } else {
      expect(status).toBe(200);
      expect(Object.keys(body).filter((name) => name.startsWith('realm'))).toEqual([]);
      expect(body).toMatchObject({
        authentication_methods: { password: true },
        external_authentication_methods: [],
        email_auth_enabled: true,
      });
    }
    for (const person of [null, server.people.mel, eve]) {
      const reply = await client.get(person, '/users/me');
      expect(reply).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
    const login = { username: 'mel@example.com', password: 'correct horse' };
    expect(await client.post(null, '/fetch_api_key', login)).toMatchObject({
      status: 404,
      body: { result: 'error', code: 'NONEXISTENT_SUBDOMAIN' },
    });
    const socket = await client.socket(server.people.mel);
    expect((await socket.closed()).code).toBe(4001);
  },
);

test('the default realm answers for hosts of no realm, and only for those', async () => {
  const server = await startServer({ env: { CONFAB_DEFAULT_REALM: 'test' } });
  const acme = await server.addRealm('acme');
  const other = as(server, 'chat.example.com');
  expect((await other.get(server.people.mel, '/users/me')).body.full_name).toBe('Mel Member');
  expect((await other.get(acme.admin, '/users/me')).status).toBe(401);
  expect((await acme.get(acme.admin, '/users/me')).body.full_name).toBe('Test eve');
  expect((await acme.get(server.people.mel, '/users/me')).status).toBe(401);
});

const DOMAIN = 'chat.example.com';

describe('if the operator has set a domain', () => {
  const withDomain = (env: Record<string, string> = {}) =>
    startServer({ env: { CONFAB_DOMAIN: DOMAIN, CONFAB_DEFAULT_REALM: 'test', ...env } });

  test.each([
    DOMAIN,
    'CHAT.example.com:8443',
    'localhost:80',
    '127.0.0.1',
    '[::1]:8080',
    '192.0.2.7',
  ])('a host without a name in it means the default realm: %s', async (host) => {
    const server = await withDomain();
    const { status, body } = await as(server, host).get(server.people.mel, '/users/me');
    expect([status, body.full_name]).toEqual([200, 'Mel Member']);
  });

  test('so does the host of the public URL', async () => {
    const server = await withDomain({ CONFAB_PUBLIC_URL: 'https://talk.example.org' });
    const client = as(server, 'talk.example.org');
    expect((await client.get(server.people.mel, '/users/me')).status).toBe(200);
  });

  test.each([`nosuch.${DOMAIN}`, `a.test.${DOMAIN}`, 'nosuch.localhost', 'evil.example.org'])(
    'a host that names no realm gets no other one, and is told so: %s',
    async (host) => {
      const server = await withDomain();
      const client = as(server, host);
      const { mel } = server.people;
      const refusal = { status: 404, body: { result: 'error', code: 'NONEXISTENT_SUBDOMAIN' } };
      expect(await client.get(mel, '/users/me')).toMatchObject(refusal);
      expect(await client.get(null, '/users/me')).toMatchObject(refusal);
      expect(await client.post(mel, '/register')).toMatchObject(refusal);
      const { status, body } = await client.get(null, '/server_settings');
      expect(JSON.stringify(body)).not.toContain('"realm_');
      // "Unknown subdomain BR" (reference/endpoints.md 1.19).
      expect(status).toBe(host.endsWith(`.${DOMAIN}`) ? 400 : 200);
      const socket = await client.socket(mel);
      expect((await socket.closed()).code).toBe(4001);

      const page = await openPage(`${server.url}/`, { host });
      expect([page.status, page.headers['content-type']]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      expect(page.text).toContain('There is no organization at this address');
      const ofRealm = await openPage(`${server.url}/`, { host: `test.${DOMAIN}` });
      expect(ofRealm.text).not.toContain('no organization');
    },
  );
});

test('the addresses that the server makes up are below the configured domain', async () => {
  const server = await startServer({ env: { CONFAB_DOMAIN: 'chat.example.com' } });
  await server.addRealm('acme');
  const { mel, max } = server.people;
  const client = as(server, 'test.chat.example.com');
  const { body } = await client.get(max, `/users/user${mel.id}@test.chat.example.com`);
  expect(body.user.user_id).toBe(mel.id);
});

test('the same address is an account of its own in each realm', async () => {
  const server = await startServer();
  const acme = await server.addRealm('acme');
  const account = { realm: 'acme', email: 'mel@example.com', name: 'Another Mel' };
  const [made] = (await runCommand(server.app.realms, 'user create', account)) as [
    { user_id: number; api_key: string },
  ];
  const mel = { ...server.people.mel, id: made.user_id, apiKey: made.api_key };
  expect((await acme.get(mel, '/users/me')).body.full_name).toBe('Another Mel');
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await server.get(server.people.mel, '/users/me')).body.full_name).toBe('Mel Member');
});

const as = (server: TestServer, host: string): Client => openClient(() => server.app.port, host);
