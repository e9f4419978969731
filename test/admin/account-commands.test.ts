import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { openClient } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const MEL = { realm: 'test', email: 'mel@example.com' };

test('an account is shown with its role and state', async () => {
  const server = await startServer();
  expect(await command(server, 'user show', MEL)).toEqual([
    {
      user_id: server.people.mel.id,
      email: 'mel@example.com',
      full_name: server.people.mel.fullName,
      role: 'member',
      is_active: true,
      is_bot: false,
      has_password: false,
      joined_at: expect.stringMatching(/^2026-01-0/),
      timezone: '',
    },
  ]);
});

test('a new role counts at once, and clients get the event', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const queue = await server.register(ada, { event_types: ['realm_user'] });
  await command(server, 'user role', { ...MEL, role: 'administrator' });
  expect(await queue.now()).toMatchObject([
    { op: 'update', person: { user_id: mel.id, role: 200 } },
  ]);
  expect((await server.get(mel, '/users/me')).body.role).toBe(200);
  await expect(
    command(server, 'user role', { realm: 'test', email: 'ona@example.com', role: 'member' }),
  ).rejects.toThrow(/only organization owner/);
});

test('a deactivated account cannot do anything until it is reactivated', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await command(server, 'user deactivate', MEL);
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  await expect(command(server, 'user deactivate', MEL)).rejects.toThrow(/deactivated/);
  expect(await command(server, 'user reactivate', MEL)).toMatchObject([{ is_active: true }]);
  expect(await command(server, 'user show', MEL)).toMatchObject([{ is_active: true }]);
  const [{ api_key } = {}] = await command(server, 'key create', MEL);
  expect((await server.get({ ...mel, apiKey: String(api_key) }, '/users/me')).status).toBe(200);
});

test('a bot that lost its owner belongs to an owner of the realm when it is reactivated', async () => {
  const server = await startServer();
  const bot = { realm: 'test', email: 'b@example.com', name: 'Bee', owner: 'mel@example.com' };
  await command(server, 'bot create', bot);
  await command(server, 'user deactivate', MEL);
  await command(server, 'user reactivate', { realm: 'test', email: 'b@example.com' });
  expect(
    await command(server, 'user show', { realm: 'test', email: 'b@example.com' }),
  ).toMatchObject([{ is_bot: true, is_active: true, owner: 'ona@example.com' }]);
});

test('a new password ends all keys of the account', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await command(server, 'user password', { ...MEL, password: 'correct horse' });
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  const login = { username: 'mel@example.com', password: 'correct horse' };
  expect((await server.post(null, '/fetch_api_key', login)).body.user_id).toBe(mel.id);
  await expect(command(server, 'user password', { ...MEL, password: 'short' })).rejects.toThrow(
    /between 6 and 100/,
  );
  const nobody = { realm: 'test', email: 'nobody@example.com', password: 'correct horse' };
  await expect(command(server, 'user password', nobody)).rejects.toThrow(/no user/);
});

test('a command without a realm is on the only one', async () => {
  const server = await startServer();
  expect(await command(server, 'realm show', {})).toMatchObject([
    { realm_id: 1, realm: 'test', is_active: true, people: 6, bots: 1, deactivated: 0 },
  ]);
  await server.addRealm('acme');
  await expect(command(server, 'realm show', {})).rejects.toThrow("There is no realm 'demo'");
});

test('only a deactivated realm is deleted, by its present name, and nothing of it is left', async () => {
  const server = await startServer();
  await server.addRealm('acme');
  const remove = (name: string) => command(server, 'realm delete', { name, yes: true });
  await expect(remove('acme')).rejects.toThrow(/'acme' is active/);
  await expect(command(server, 'realm delete', { name: 'acme' })).rejects.toThrow(/^yes /);
  await command(server, 'realm rename', { realm: 'acme', to: 'emca' });
  await command(server, 'realm deactivate', { realm: 'emca' });
  await expect(remove('acme')).rejects.toThrow("The name of this realm is now 'emca'");

  expect(await remove('emca')).toEqual([{ realm_id: 2, realm: 'emca', is_deleted: true }]);
  expect(existsSync(join(server.data, 'realms', '2'))).toBe(false);
  expect(await command(server, 'realm list', {})).toEqual([{ realm_id: 1, realm: 'test' }]);
  await expect(remove('emca')).rejects.toThrow("There is no realm 'emca'");
  const left = openClient(() => server.app.port, 'test.localhost');
  expect((await left.get(server.people.mel, '/users/me')).status).toBe(200);

  // Its names are free, but not its number.
  expect(await command(server, 'realm create', { name: 'acme' })).toEqual([
    { realm_id: 3, realm: 'acme' },
  ]);
  expect(server.bugs).toEqual([]);
  await server.restart();
  expect(await command(server, 'realm list', {})).toEqual([
    { realm_id: 1, realm: 'test' },
    { realm_id: 3, realm: 'acme' },
  ]);
});

const command = (server: TestServer, name: string, args: object) =>
  runCommand(server.app.realms, name, args) as Promise<Record<string, unknown>[]>;
