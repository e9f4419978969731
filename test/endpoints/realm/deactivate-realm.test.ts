import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import type { Params } from '../../support/client.ts';
import { png } from '../../support/files/images.ts';
import { download, uploaded, uploadTo } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const DAY_MS = 86_400_000;

const deactivate = (server: TestServer, params: Params = {}, as: PersonName = 'ona') =>
  server.post(server.people[as], '/realm/deactivate', params);

const command = ({ app }: TestServer, name: string) =>
  runCommand(app.realms, name, { realm: 'test' });

const UNAUTHORIZED = {
  status: 401,
  body: { code: 'UNAUTHORIZED', msg: 'This organization has been deactivated' },
};

test('an owner deactivates the organization: polls and sockets hear of it, and nothing more', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus, ada } = server.people;
  const [parked, idle] = [await server.register(mel), await server.register(gus)];
  const polling = parked.next();
  const socket = await server.socket(ada);
  socket.send({ type: 'register', params: { event_types: ['realm'] } });
  await socket.frame('registered');

  expect((await deactivate(server)).body).toEqual(ok);
  const event = { id: expect.any(Number), type: 'realm', op: 'deactivated', realm_id: 1 };
  expect(await polling).toEqual([event]);
  expect((await socket.frame('events'))['events']).toEqual([event]);
  expect((await socket.closed()).code).toBe(4002);
  expect(await idle.poll({ dont_block: true })).toMatchObject(UNAUTHORIZED);
  expect(await server.perform((tx) => [...tx.queues.keys({})])).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('every request of an account is refused, whatever it asks, and the next socket', async () => {
  const server = await startServer({ channels: ['general'] });
  const { get, post, people } = server;
  await deactivate(server);
  for (const reply of [
    await get(people.mel, '/users/me'),
    await get(people.ona, '/realm/emoji'),
    await post(people.mel, '/register'),
    await post(people.mel, '/messages', { type: 'channel', to: 'general', content: 'hi' }),
    await deactivate(server),
  ]) {
    expect(reply).toMatchObject(UNAUTHORIZED);
  }
  expect((await (await server.socket(people.mel)).closed()).code).toBe(4001);
});

test('nobody logs in, joins, or is shown a page or a file', async () => {
  const server = await startServer({ channels: ['general'] });
  const { people } = server;
  await server.set('enable_spectator_access', true);
  await server.post(people.ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'open' }],
    is_web_public: true,
  });
  const account = { realm: 'test', email: 'new@example.com', name: 'New', password: 'a password' };
  await runCommand(server.app.realms, 'user create', account);
  const { invite_link } = (await server.post(people.ona, '/invites/multiuse')).body;
  const file = await uploaded(server, people.mel);
  const { url } = (await server.get(people.mel, file)).body;
  await uploadTo(server, people.mel, '/realm/emoji/mog', { content: await png(8, 8) });
  const { source_url } = (await server.get(people.mel, '/realm/emoji')).body.emoji[1];
  const paths = [new URL(invite_link).pathname, '/avatar/1', '/avatar/1/medium', url, source_url];
  for (const path of paths) expect((await download(server, path)).status, path).not.toBe(401);

  await deactivate(server);
  for (const path of paths) {
    const { status, bytes } = await download(server, path);
    expect({ path, status }).toEqual({ path, status: 401 });
    expect(bytes.toString()).toContain('This organization has been deactivated');
  }
  expect((await download(server, file, { as: people.mel })).status).toBe(401);
  const login = { username: account.email, password: account.password };
  expect(await server.post(null, '/fetch_api_key', login)).toMatchObject({
    status: 401,
    body: { code: 'REALM_DEACTIVATED', msg: 'This organization has been deactivated' },
  });
  expect((await server.post(null, '/register')).body.code).toBe('UNAUTHORIZED');
  expect((await server.get(null, '/server_settings')).status).toBe(200);
});

test('its operator makes it active again, with all that it had; what was due meanwhile waits', async () => {
  const server = await startServer({ channels: ['general'] });
  const { get, post, people } = server;
  const at = Math.floor(server.clock.now() / 1000) + 60;
  const scheduled = { type: 'channel', to: 1, topic: 'tea', content: 'later' };
  await post(people.mel, '/scheduled_messages', {
    ...scheduled,
    scheduled_delivery_timestamp: at,
  });
  await deactivate(server);
  await server.advance(120_000);
  const countMessages = () => server.perform((tx) => [...tx.messages.keys({})].length);
  const before = await countMessages();
  await server.restart();
  await server.advance(1);
  expect(await countMessages()).toBe(before);
  expect(await get(people.mel, '/users/me')).toMatchObject(UNAUTHORIZED);

  expect(await command(server, 'realm reactivate')).toEqual([{ realm: 'test', is_active: true }]);
  await server.advance(1);
  expect(await countMessages()).toBe(before + 1);
  expect((await get(people.mel, '/users/me')).body.full_name).toBe('Mel Member');
  await expect(command(server, 'realm reactivate')).rejects.toThrow('is not deactivated');
});

test('the command line deactivates as an owner does, and lists what may be deleted when', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  socket.send({ type: 'register', params: { event_types: ['realm'] } });
  await socket.frame('registered');
  await command(server, 'realm deactivate');
  const { events } = await socket.frame('events');
  expect(events).toMatchObject([{ type: 'realm', op: 'deactivated' }]);
  expect((await socket.closed()).code).toBe(4002);
  const listed = { realm_id: 1, realm: 'test' };
  expect(await runCommand(server.app.realms, 'realm list', {})).toEqual([
    { ...listed, is_active: false, deletable_at: null },
  ]);
  await command(server, 'realm reactivate');
  expect(await runCommand(server.app.realms, 'realm list', {})).toEqual([listed]);
  await deactivate(server, { deletion_delay_days: 14 });
  expect(await runCommand(server.app.realms, 'realm list', {})).toEqual([
    {
      ...listed,
      is_active: false,
      deletable_at: expect.stringMatching(
        new Date(server.clock.now() + 14 * DAY_MS).toISOString().slice(0, 16),
      ),
    },
  ]);
});

test.each([
  { deletion_delay_days: 13, msg: /at least 14 days/ },
  { deletion_delay_days: 0, msg: /at least 14 days/ },
  { deletion_delay_days: -1, msg: /at least 14 days/ },
  { deletion_delay_days: 36_501, msg: /^deletion_delay_days is too large/ },
  { deletion_delay_days: 'soon', msg: /^deletion_delay_days is not valid JSON/ },
  { deletion_delay_days: '"14"', msg: /^deletion_delay_days is not an integer/ },
  { deletion_delay_days: 14.5, msg: /^deletion_delay_days/ },
])('is refused, and nothing ends: $deletion_delay_days', async ({ msg, ...params }) => {
  const server = await startServer();
  const queue = await server.register(server.people.mel);
  expect(await deactivate(server, params)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  expect(await queue.now()).toEqual([]);
});

test.each<PersonName>(['ada', 'mia', 'mel', 'gus', 'bot'])('%s may not', async (as) => {
  const server = await startServer();
  expect(await deactivate(server, {}, as)).toMatchObject({
    status: 400,
    body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' },
  });
});
