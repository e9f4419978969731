import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { openClient } from '../support/client.ts';
import { confab, runConfab } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

test('a new account can log in at once, and all clients get the event', async () => {
  const server = await startServer();
  const queue = await server.register(server.people.mel, { event_types: ['realm_user'] });
  const [made] = await command(server, 'user create', {
    realm: 'test',
    email: ' Zoe@Example.com ',
    name: ' Zoe New ',
    role: 'moderator',
    password: 'correct horse',
  });
  expect(made).toEqual({
    user_id: 8,
    email: 'Zoe@Example.com',
    api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    has_password: true,
  });
  const zoe = {
    id: 8,
    email: 'zoe@example.com',
    fullName: 'Zoe New',
    apiKey: String(made?.['api_key']),
  };
  expect((await server.get(zoe, '/users/me')).body).toMatchObject({
    user_id: 8,
    full_name: 'Zoe New',
    email: 'Zoe@Example.com',
    role: 300,
    is_bot: false,
  });
  const login = { username: 'zoe@example.com', password: 'correct horse' };
  expect((await server.post(null, '/fetch_api_key', login)).body.user_id).toBe(8);
  expect(await queue.next()).toEqual([
    {
      id: expect.any(Number),
      type: 'realm_user',
      op: 'add',
      person: {
        user_id: 8,
        email: 'Zoe@Example.com',
        delivery_email: 'Zoe@Example.com',
        full_name: 'Zoe New',
        date_joined: '2026-01-05T09:00+00:00',
        is_active: true,
        is_owner: false,
        is_admin: false,
        is_guest: false,
        is_bot: false,
        bot_type: null,
        bot_owner_id: null,
        role: 300,
        timezone: '',
        avatar_url: '/avatar/8?v=1',
        avatar_version: 1,
        profile_data: {},
      },
    },
  ]);
});

test('a new bot has its owner, and those who manage it get the event', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  const queues = await Promise.all(
    [mel, ada, max].map((person) => server.register(person, { event_types: ['realm_bot'] })),
  );
  const bot = { realm: 'test', email: 'b@example.com', name: 'Bee', owner: 'mel@example.com' };
  const [made] = await command(server, 'bot create', bot);
  const { body } = await server.get(mel, `/users/${made?.['user_id']}`);
  expect(body.user).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: mel.id, role: 400 });
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  const event = {
    id: expect.any(Number),
    type: 'realm_bot',
    op: 'add',
    bot: expect.objectContaining({ user_id: 8, owner_id: mel.id, is_active: true, services: [] }),
  };
  expect(heard).toEqual([[event], [event], []]);
});

test('a further key works beside the first one', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const [made] = await command(server, 'key create', { realm: 'test', email: 'MEL@example.com' });
  expect(made).toMatchObject({ user_id: mel.id, email: mel.email });
  const again = { ...mel, apiKey: String(made?.['api_key']) };
  expect(again.apiKey).not.toBe(mel.apiKey);
  expect((await server.get(again, '/users/me')).status).toBe(200);
  expect((await server.get(mel, '/users/me')).status).toBe(200);
});

test('an import makes the accounts that are new and gives those that exist a further key', async () => {
  const server = await startServer();
  const users = Array.from({ length: 450 }, (_, index) => ({
    full_name: `Person ${index}`,
    email: index === 0 ? 'Mel@example.com' : `person${index}@example.com`,
  }));
  const lines = await command(server, 'users import', { realm: 'test', users });
  expect(lines).toHaveLength(450);
  expect(lines[0]).toMatchObject({ user_id: server.people.mel.id, email: 'mel@example.com' });
  const last = lines.at(-1);
  expect(last).toMatchObject({ user_id: 456, email: 'person449@example.com' });
  const person = { id: 456, email: 'person449@example.com', fullName: 'Person 449' };
  const reply = await server.get({ ...person, apiKey: String(last?.['api_key']) }, '/users/me');
  expect(reply.body.full_name).toBe('Person 449');
});

test('the accounts and the realms are listed', async () => {
  const server = await startServer();
  await server.addRealm('acme');
  expect(await command(server, 'realm list', {})).toEqual([
    { realm_id: 1, realm: 'test' },
    { realm_id: 2, realm: 'acme' },
  ]);
  expect(await command(server, 'user list', { realm: 'acme' })).toEqual([
    {
      user_id: 1,
      email: 'eve@example.com',
      full_name: 'Test eve',
      role: 200,
      is_bot: false,
      is_active: true,
    },
  ]);
  expect(await command(server, 'user list', { realm: 'test' })).toHaveLength(7);
});

test('realms that are created at the same time are all complete', async () => {
  const server = await startServer();
  const names = ['one', 'two', 'three', 'two'];
  const made = await Promise.allSettled(
    names.map((name) => command(server, 'realm create', { name })),
  );
  expect(made.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(await command(server, 'realm list', {})).toEqual([
    { realm_id: 1, realm: 'test' },
    { realm_id: 2, realm: 'one' },
    { realm_id: 3, realm: 'two' },
    { realm_id: 4, realm: 'three' },
  ]);
  await server.restart();
  expect(await command(server, 'realm list', {})).toHaveLength(4);
});

const account = { realm: 'test', email: 'new@example.com', name: 'New Person' };

test.each([
  { why: 'a role that is none', name: 'user create', args: { ...account, role: 'boss' }, msg: /role is none of owner, .*Usage: confab user create/ },
  { why: 'an address that is missing', name: 'user create', args: { name: 'x' }, msg: /^email .*Usage: confab user create/ },
  { why: 'an address that is none', name: 'user create', args: { ...account, email: 'new' }, msg: /Invalid email address/ },
  { why: 'an address in use, in any case', name: 'user create', args: { ...account, email: 'MEL@EXAMPLE.COM' }, msg: /already in use/ },
  { why: 'an address too long', name: 'user create', args: { ...account, email: `${'x'.repeat(250)}@a.de` }, msg: /Invalid email/ },
  { why: 'a name too short', name: 'user create', args: { ...account, name: 'x' }, msg: /too short/ },
  { why: 'a name too long', name: 'user create', args: { ...account, name: 'x'.repeat(101) }, msg: /too long/ },
  { why: 'a name with a star', name: 'user create', args: { ...account, name: 'a*b' }, msg: /Invalid characters/ },
  { why: 'a name with a line in it', name: 'user create', args: { ...account, name: 'a\nb' }, msg: /Invalid characters/ },
  { why: 'a name that ends like an id', name: 'user create', args: { ...account, name: 'New|12' }, msg: /Invalid format/ },
  { why: 'a password too short', name: 'user create', args: { ...account, password: 'short' }, msg: /between 6 and 100/ },
  { why: 'a realm that is not there', name: 'user create', args: { ...account, realm: 'acme' }, msg: /no realm 'acme'/ },
  { why: 'an owner who is not there', name: 'bot create', args: { ...account, owner: 'nobody@example.com' }, msg: /no user 'nobody@example.com'/ },
  { why: 'a key for nobody', name: 'key create', args: { realm: 'test', email: 'nobody@example.com' }, msg: /no user/ },
  { why: 'a realm that is there', name: 'realm create', args: { name: 'test' }, msg: /realm 'test' already/ },
  { why: 'a realm that is no host name', name: 'realm create', args: { name: 'My realm' }, msg: /cannot be the name of a realm/ },
  { why: 'a realm name too long', name: 'realm create', args: { name: 'x'.repeat(64) }, msg: /cannot be the name/ },
  { why: 'an import of something else', name: 'users import', args: { realm: 'test', users: [{ nick: 'x' }] }, msg: /users\.0\.full_name/ },
  { why: 'a command that is none', name: 'user destroy', args: {}, msg: /Unknown command: user destroy/ },
])('$why is refused, and nothing is made', async ({ name, args, msg }) => {
  const server = await startServer();
  await expect(command(server, name, args)).rejects.toThrow(msg);
  expect(await command(server, 'user list', { realm: 'test' })).toHaveLength(7);
  expect(await command(server, 'realm list', {})).toHaveLength(1);
}); // biome-ignore format: a table

test('an import with one impossible account makes none of its part', async () => {
  const server = await startServer();
  const users = [
    { full_name: 'Good One', email: 'good@example.com' },
    { full_name: 'x', email: 'bad@example.com' },
  ];
  await expect(command(server, 'users import', { realm: 'test', users })).rejects.toThrow(/short/);
  expect(await command(server, 'user list', { realm: 'test' })).toHaveLength(7);
});

test('the command line serves a directory without a server', async () => {
  const data = join(temporaryFolder(), 'new');
  expect(await confab(data, 'realm', 'create', 'acme', '--title', 'Acme Inc.')).toEqual([
    { realm_id: 1, realm: 'acme' },
  ]);
  const file = join(data, 'users.jsonl');
  writeFileSync(file, '{"full_name":"Mel Member","email":"mel@example.com"}\n\n');
  const [mel] = await confab(data, 'users', 'import', '--file', file, '--realm', 'acme');
  expect(mel).toMatchObject({ user_id: 1, email: 'mel@example.com' });
  expect(await confab(data, 'user', 'list', '--realm', 'acme')).toHaveLength(1);
});

test('the command line asks the running server, which serves the new account at once', async () => {
  const server = await startServer();
  const queue = await server.register(server.people.mel, { event_types: ['realm_user'] });
  const [zoe] = await confab(
    server.data,
    ...['user', 'create', '--realm', 'test', '--email', 'zoe@example.com', '--name', 'Zoe New'],
  );
  expect(zoe).toMatchObject({ user_id: 8 });
  expect(await queue.now()).toMatchObject([{ op: 'add', person: { user_id: 8 } }]);

  await confab(server.data, 'realm', 'create', 'acme');
  const [eve] = await command(server, 'user create', {
    realm: 'acme',
    email: 'eve@example.com',
    name: 'Eve Else',
  });
  const person = { id: 1, email: 'eve@example.com', fullName: 'Eve Else' };
  const acme = openClient(() => server.app.port, 'acme.localhost');
  const reply = await acme.get({ ...person, apiKey: String(eve?.['api_key']) }, '/users/me');
  expect(reply.body.full_name).toBe('Eve Else');
});

test('an import of a file that is missing or broken says which, and makes nothing', async () => {
  const data = temporaryFolder();
  const file = join(data, 'users.jsonl');
  const missing = await runConfab(data, 'users', 'import', '--file', file);
  expect(missing.stderr).toMatch(/^confab: there is no such file[^\n]*users\.jsonl\)\n$/);
  writeFileSync(file, '{"full_name":"Mel","email":"mel@example.com"}\n{"full');
  const broken = await runConfab(data, 'users', 'import', '--file', file);
  expect(broken.stderr).toMatch(/^confab: [^\n]*users\.jsonl: line 2 is not JSON\n$/);
  expect([missing.code, broken.code]).toEqual([3, 4]);
});

const command = (server: TestServer, name: string, args: object) =>
  runCommand(server.app.realms, name, args) as Promise<Record<string, unknown>[]>;
