import { expect, test } from 'vitest';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const OLD = 'correct horse';
const NEW = 'battery staple';
const NO_KEY = { status: 401, body: { code: 'UNAUTHORIZED', msg: 'Invalid API key' } };

test('a new password ends all keys but the one that asks, and who listens by them', async () => {
  const server = await startWithPassword();
  const { mel, max } = server.people;
  const thief = await loggedIn(server);
  const [stays, ends] = [await server.register(mel), await server.register(thief)];
  const socket = await server.socket(thief, { query: query(ends.id, ends.lastEventId) });
  await socket.frame('hello');
  const parked = (await server.register(thief)).poll();
  const others = await server.register(max);
  await server.patch(thief, '/settings', { email: 'thief@example.com' });

  const change = { old_password: OLD, new_password: NEW };
  expect((await server.patch(mel, '/settings', change)).status).toBe(200);

  expect((await server.get(mel, '/users/me')).status).toBe(200);
  expect(await server.get(thief, '/users/me')).toMatchObject(NO_KEY);
  expect((await parked).body.events).toEqual([]);
  expect(await ends.poll()).toMatchObject(NO_KEY);
  expect((await socket.closed()).code).toBe(4002);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'hello' });
  expect((await stays.now()).map(({ type }) => type)).toContain('message');
  expect((await others.now()).map(({ type }) => type)).toContain('message');
  expect((await stays.poll({ dont_block: true })).status).toBe(200);
  // A thief with the old password cannot take the account by changing its address either.
  const pending = await server.perform((tx) => [...tx.emailChanges.keysUnder([mel.id])]);
  expect(pending).toEqual([]);

  const renewed = await loggedIn(server, NEW);
  await server.restart();
  expect(await server.get(thief, '/users/me')).toMatchObject(NO_KEY);
  for (const person of [mel, renewed]) {
    expect((await server.get(person, '/users/me')).status).toBe(200);
  }
});

test('a socket that changes the password stays, and so does its queue', async () => {
  const server = await startWithPassword();
  const mine = await loggedIn(server);
  const socket = await server.socket(mine);
  socket.send({ type: 'register', params: { event_types: ['message'] } });
  const { queue_id } = await socket.frame('registered');
  const params = { old_password: OLD, new_password: NEW };
  socket.send({ type: 'request', id: 1, method: 'PATCH', path: '/settings', params });
  expect(await socket.frame('reply')).toMatchObject({ id: 1, status: 200 });
  expect(await server.get(server.people.mel, '/users/me')).toMatchObject(NO_KEY);
  expect(await server.perform((tx) => tx.queues.has([queue_id]))).toBe(true);
});

test('a refused password ends nothing', async () => {
  const server = await startWithPassword();
  const other = await loggedIn(server);
  const queue = await server.register(other);
  const change = { old_password: 'wrong', new_password: NEW };
  expect((await server.patch(server.people.mel, '/settings', change)).status).toBe(400);
  expect(await queue.now()).toEqual([]);
});

test('no key outlives a deactivation: who comes back logs in, and a bot is given a new key', async () => {
  const server = await startWithPassword();
  const { ada, mel } = server.people;
  const made = await server.post(mel, '/bots', { full_name: 'Cook', short_name: 'cook' });
  const { user_id, api_key } = made.body;
  const bot = { ...mel, id: user_id, email: 'cook-bot@test.localhost', apiKey: api_key };
  expect((await server.get(bot, '/users/me')).status).toBe(200);
  await server.patch(mel, '/settings', { email: 'mel@example.org' });

  await server.delete(ada, `/users/${mel.id}`);
  expect((await server.get(mel, '/users/me')).body.msg).toBe('Account is deactivated');
  expect((await server.post(ada, `/users/${mel.id}/reactivate`)).status).toBe(200);
  expect((await server.post(ada, `/users/${user_id}/reactivate`)).status).toBe(200);

  for (const gone of [mel, bot]) expect(await server.get(gone, '/users/me')).toMatchObject(NO_KEY);
  expect(await server.perform((tx) => [...tx.emailChanges.keysUnder([mel.id])])).toEqual([]);
  const back = await loggedIn(server);
  expect((await server.get(back, '/users/me')).body.user_id).toBe(mel.id);
  const renewed = await server.post(ada, `/bots/${user_id}/api_key/regenerate`);
  const again = { ...bot, apiKey: renewed.body.api_key };
  expect((await server.get(again, '/users/me')).status).toBe(200);
});

async function startWithPassword(): Promise<TestServer> {
  const server = await startServer();
  const passwordHash = await hashPassword(OLD);
  await server.perform((tx) => {
    const user = tx.users.get([server.people.mel.id]) ?? expect.fail('mel is there');
    tx.users.put([user.id], { ...user, passwordHash });
  });
  return server;
}

async function loggedIn(server: TestServer, password = OLD): Promise<Person> {
  const { mel } = server.people;
  const { body } = await server.post(null, '/fetch_api_key', { username: mel.email, password });
  return { ...mel, apiKey: body.api_key ?? expect.fail(JSON.stringify(body)) };
}

const query = (queueId: string, lastEventId: number) =>
  `?queue_id=${queueId}&last_event_id=${lastEventId}`;
