import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { FORMER_NAMES_MAX } from '../../../src/domain/limits/organizations.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { openClient } from '../../support/client.ts';
import { confab, runConfab } from '../../support/processes/run.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const IN_USE = 'Subdomain is already in use. Please choose a different one.';

const rename = (server: TestServer, string_id: string, as: PersonName = 'ona') =>
  server.patch(server.people[as], '/realm', { string_id });

/** Opens a client that calls the same server by another name. */
const at = (server: TestServer, host: string) => openClient(() => server.app.port, host);

const addressAt = async (server: TestServer, host: string) =>
  withoutPort((await at(server, host).get(null, '/server_settings')).body.realm_url);

const withoutPort = (url: string) => url.replace(/:\d+$/, '');

test('an owner gives the organization another address, and the answer tells which', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });

  const url = `http://tea.localhost:${server.app.port}`;
  const { body } = await rename(server, 'tea');
  expect(body).toEqual({ ...ok, string_id: 'updated', realm_url: url, realm_uri: url });

  const tea = at(server, 'tea.localhost');
  expect((await tea.register(mel)).state).toMatchObject({
    realm_url: url,
    realm_uri: url,
    realm_icon_url: `${url}/static/realm-icon.png`,
  });
  const sent = { type: 'channel', to: 'general', topic: 'soup', content: 'hi' };
  expect((await tea.post(ona, '/messages', sent)).status).toBe(200);
  const [event] = await tea.queue(mel, queue.id, queue.lastEventId).next();
  expect(event).toMatchObject({ type: 'message', message: { sender_realm_str: 'tea' } });
  expect(server.bugs).toEqual([]);
});

test('its former address goes on, and tells whoever comes to log in of the new one', async () => {
  const server = await startServer({ env: { CONFAB_DOMAIN: 'example.com' } });
  await rename(server, 'tea');
  expect(await addressAt(server, 'test.localhost')).toBe('http://tea.localhost');
  expect(await addressAt(server, 'TEST.example.com')).toBe('http://tea.example.com');
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  const { realm_url } = (await server.register(server.people.mel)).state;
  expect(withoutPort(realm_url)).toBe('http://test.localhost');
});

test('4: whoever is there by the former address has nothing to hear of', async () => {
  const server = await startServer({ channels: ['general'] });
  await expectExactAfter(server, async () => {
    expect((await rename(server, 'tea')).status).toBe(200);
  });
});

test('made-up addresses of accounts stay what they are', async () => {
  const server = await startServer();
  const { mel, ona } = server.people;
  await server.patch(mel, '/settings', { email_address_visibility: 3 });
  await rename(server, 'tea');
  const tea = at(server, 'tea.localhost');
  const { body } = await tea.get(server.people.max, `/users/${mel.id}`);
  expect(body.user.email).toBe(`user${mel.id}@test.localhost`);
  const bot = { full_name: 'Kettle', short_name: 'kettle' };
  const { user_id } = (await tea.post(ona, '/bots', bot)).body;
  const found = await tea.get(ona, '/users/kettle-bot@test.localhost');
  expect(found.body.user).toMatchObject({ user_id });
});

test('addresses hold across a restart, also those without a name in them', async () => {
  const server = await startServer({ env: { CONFAB_DEFAULT_REALM: 'test' } });
  const other = await server.addRealm('other');
  await rename(server, 'tea');
  await rename(server, 'coffee');
  for (const restarts of [0, 1]) {
    if (restarts === 1) await server.restart();
    for (const host of ['test.localhost', 'tea.localhost', 'coffee.localhost']) {
      expect(await addressAt(server, host)).toBe('http://coffee.localhost');
    }
    expect(await addressAt(server, '127.0.0.1')).toBe('http://127.0.0.1');
    expect(await addressAt(server, 'other.localhost')).toBe('http://other.localhost');
    const own = await other.get(other.admin, '/users/me');
    expect(own.body.delivery_email).toBe('eve@example.com');
  }
});

test("it may have a name again that it had, and has nobody else's", async () => {
  const server = await startServer();
  await server.addRealm('other');
  await rename(server, 'tea');
  expect(await rename(server, 'other')).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: IN_USE },
  });
  const [made] = await runCommand(server.app.realms, 'user create', {
    realm: 'other',
    email: 'oz@example.com',
    name: 'Test Oz',
    role: 'owner',
  });
  const { api_key: apiKey } = made as { api_key: string };
  const oz = { id: 0, email: 'oz@example.com', fullName: 'Test Oz', apiKey };
  for (const string_id of ['tea', 'test']) {
    const reply = await at(server, 'other.localhost').patch(oz, '/realm', { string_id });
    expect(reply.body).toMatchObject({ code: 'BAD_REQUEST', msg: IN_USE });
    await expect(
      runCommand(server.app.realms, 'realm create', { name: string_id }),
    ).rejects.toThrow(`There is a realm '${string_id}' already`);
  }
  expect((await rename(server, 'test')).body).toMatchObject({ string_id: 'updated' });
  expect(await addressAt(server, 'tea.localhost')).toBe('http://test.localhost');
});

test("a name that two want at once is one's", async () => {
  const server = await startServer();
  const realms = server.app.realms;
  await server.addRealm('other');
  const outcomes = await Promise.allSettled([
    runCommand(realms, 'realm rename', { realm: 'other', to: 'tea' }),
    runCommand(realms, 'realm create', { name: 'tea' }),
    rename(server, 'tea').then(({ body }) => body.code),
  ]);
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: [{ realm: 'tea' }] },
    { status: 'rejected', reason: expect.objectContaining({ code: 'BAD_REQUEST' }) },
    { status: 'fulfilled', value: 'BAD_REQUEST' },
  ]);
  expect(await addressAt(server, 'tea.localhost')).toBe('http://tea.localhost');
});

test('the operator renames it on the command line, while the server runs', async () => {
  const server = await startServer();
  expect(await confab(server.data, 'realm', 'rename', '--realm', 'test', '--to', 'tea')).toEqual([
    { realm: 'tea' },
  ]);
  expect(await addressAt(server, 'test.localhost')).toBe('http://tea.localhost');
  const refused = await runConfab(server.data, 'realm', 'rename', '--realm', 'tea', '--to', 'No');
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("'No' cannot be") });
});

test('a name that was refused is free again', async () => {
  const server = await startServer();
  await server.addRealm('other');
  const both = { string_id: 'tea', can_create_groups: { new: 999 } };
  expect((await server.patch(server.people.ona, '/realm', both)).status).toBe(400);
  expect(await addressAt(server, 'test.localhost')).toBe('http://test.localhost');
  const { realms } = server.app;
  expect(await runCommand(realms, 'realm rename', { realm: 'other', to: 'tea' })).toEqual([
    { realm: 'tea' },
  ]);
});

test('the name it has changes nothing, and may be named by administrators', async () => {
  const server = await startServer();
  for (const as of ['ona', 'ada'] as const) {
    expect((await rename(server, 'test', as)).body).toEqual(ok);
  }
});

test('is for owners alone', async () => {
  const server = await startServer();
  for (const as of ['ada', 'mia', 'mel', 'gus', 'bot'] as const) {
    expect(await rename(server, 'tea', as)).toMatchObject({
      status: 400,
      body: { code: 'UNAUTHORIZED_PRINCIPAL' },
    });
  }
  expect(await addressAt(server, 'test.localhost')).toBe('http://test.localhost');
});

test.each(['', 'Tea', '-tea', 'tea-', 'a.b', 'a b', '12', 'é', 'x'.repeat(64), 'a\0', '\ud800'])(
  'is refused: %j',
  async (name) => {
    const server = await startServer();
    expect(await rename(server, name)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/cannot be the name|string_id/) },
    });
    expect((await rename(server, 'x'.repeat(63))).status).toBe(200);
  },
);

test('it has so many former names, and not one more', async () => {
  const server = await startServer();
  for (let count = 1; count <= FORMER_NAMES_MAX; count += 1) {
    expect((await rename(server, `tea-${count}`)).status).toBe(200);
  }
  expect((await rename(server, 'coffee')).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: `An organization can have at most ${FORMER_NAMES_MAX} former names.`,
  });
  expect((await rename(server, 'test')).status).toBe(200);
});
