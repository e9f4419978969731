import { expect, test } from 'vitest';
import { issueApiKey } from '../../../src/operations/users/users.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const NO_KEY = { status: 401, body: { code: 'UNAUTHORIZED', msg: 'Invalid API key' } };
const HOUR_MS = 3_600_000;

interface Listed {
  readonly id: string;
  readonly created_at: number;
  readonly made_by: string | null;
  readonly is_current: boolean;
  readonly last_used_at: number | null;
  readonly client: string | null;
  readonly address_class: string | null;
}

test('keys are listed with how they were made, by whom and when they were last used', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const phone = await furtherKey(server, mel);
  const start = seconds(server);
  await server.get(phone, '/users/me', { client: 'Phone of Mel' });
  await server.advance(60_000);
  const [other, own, ...rest] = await keysOf(server, mel);
  expect(rest).toEqual([]);
  expect(other).toMatchObject({ made_by: 'login', is_current: false, last_used_at: start });
  expect(other).toMatchObject({ client: 'Phone of Mel', address_class: 'loopback' });
  expect(own).toMatchObject({ made_by: 'command', is_current: true });
  expect(own?.last_used_at).toBe(start + 60);
  // The name of a key is neither the key nor its whole hash, and nobody else's list has it.
  expect(other?.id).toMatch(/^[0-9a-f]{16}$/);
  expect(phone.apiKey).not.toContain(other?.id);
  expect((await keysOf(server, max)).map(({ id }) => id)).not.toContain(other?.id);
});

test('a key that was not used says so, and one of before this says no more than it knows', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.perform((tx) => {
    tx.apiKeys.put([mel.id, 'a'.repeat(64)], { createdAt: 5_000, origin: 'issued', madeBy: null });
    tx.apiKeys.put([mel.id, 'b'.repeat(64)], { createdAt: 4_000, origin: 'login', madeBy: null });
  });
  const unused = { is_current: false, last_used_at: null, client: null, address_class: null };
  expect((await keysOf(server, mel)).slice(1)).toEqual([
    { id: 'a'.repeat(16), created_at: 5, made_by: null, ...unused },
    { id: 'b'.repeat(16), created_at: 4, made_by: 'login', ...unused },
  ]);
});

test('a request causes no commit; an hour and a clean stop write what was noted', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const stored = () =>
    server.perform((tx) => [...tx.keyUses.under([mel.id])].map(([, row]) => row));
  const start = seconds(server);
  await server.get(mel, '/users/me');
  expect(await stored()).toEqual([]);
  await server.leap(HOUR_MS + 60_000);
  expect(await stored()).toMatchObject([{ usedAt: start, addressClass: 'loopback' }]);
  await server.get(mel, '/users/me', { client: 'Later' });
  const later = seconds(server);
  await server.restart();
  expect(await stored()).toMatchObject([{ usedAt: later, client: 'Later' }]);
  expect((await keysOf(server, mel))[0]).toMatchObject({ made_by: 'command', is_current: true });
});

test('whoever does nothing but listen uses the key all the while', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const phone = await furtherKey(server, mel);
  const queue = await server.register(phone);
  const socket = await server.socket(phone, {
    query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`,
  });
  await socket.frame('hello');
  const start = seconds(server);
  await server.advance(HOUR_MS + 10_000);
  // Uses that requests noted are written first, then those of clients that listen. Each step is a
  // commit, which takes its own time.
  for (let step = 0; step < 3; step++) {
    await server.perform(() => undefined);
    await server.advance(1_000);
  }
  const [listening] = await keysOf(server, mel);
  expect(listening?.last_used_at).toBeGreaterThan(start + 3_000);
  expect(listening).toMatchObject({ address_class: 'loopback' });
});

test('one key is ended with its queues, polls and sockets, and nothing else is', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const phone = await furtherKey(server, mel);
  const [stays, ends] = [await server.register(mel), await server.register(phone)];
  const socket = await server.socket(phone, {
    query: `?queue_id=${ends.id}&last_event_id=${ends.lastEventId}`,
  });
  await socket.frame('hello');
  const parked = (await server.register(phone)).poll();
  const [lost] = await keysOf(server, mel);

  const path = `/users/me/api_keys/${lost?.id}`;
  expect(await server.delete(max, path)).toMatchObject({ status: 400, body: { msg: NO_SUCH } });
  expect((await server.get(phone, '/users/me')).status).toBe(200);
  expect((await server.delete(mel, path)).status).toBe(200);

  expect(await server.get(phone, '/users/me')).toMatchObject(NO_KEY);
  expect((await parked).body.events).toEqual([]);
  expect(await ends.poll()).toMatchObject(NO_KEY);
  expect((await socket.closed()).code).toBe(4002);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'hello' });
  expect((await stays.now()).map(({ type }) => type)).toContain('message');
  expect(await keysOf(server, mel)).toHaveLength(1);
  expect(await server.delete(mel, path)).toMatchObject({ status: 400, body: { msg: NO_SUCH } });

  // The row of the key stays away, and so does its last use.
  await server.restart();
  expect(await server.get(phone, '/users/me')).toMatchObject(NO_KEY);
  const uses = await server.perform((tx) => [...tx.keyUses.keysUnder([mel.id])]);
  expect(uses).toHaveLength(1);
});

test('a client logs out by ending its own key', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const phone = await furtherKey(server, mel);
  const current = (await keysOf(server, phone)).find(({ is_current }) => is_current);
  expect((await server.delete(phone, `/users/me/api_keys/${current?.id}`)).status).toBe(200);
  expect(await server.get(phone, '/users/me')).toMatchObject(NO_KEY);
  expect((await server.get(mel, '/users/me')).status).toBe(200);
});

test('the key of a log-in that makes room takes who listens by it along', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const first = await furtherKey(server, mel);
  const parked = (await server.register(first)).poll();
  await server.advance(1_000);
  for (let index = 0; index < 19; index++) await furtherKey(server, mel);
  expect((await parked).body.events).toEqual([]);
  expect(await server.get(first, '/users/me')).toMatchObject(NO_KEY);
  expect(await keysOf(server, mel)).toHaveLength(20);
});

test('who manages a bot lists and ends its keys', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  const made = await server.post(mel, '/bots', { full_name: 'Cook', short_name: 'cook' });
  const { user_id, api_key } = made.body;
  const bot = { ...mel, id: user_id, email: 'cook-bot@test.localhost', apiKey: api_key };
  const path = `/bots/${user_id}/api_keys`;
  await server.get(mel, `/bots/${user_id}/api_key`);
  const { api_keys: keys } = (await server.get(ada, path)).body;
  expect(keys.map((key: Listed) => key.made_by).sort()).toEqual(['bot', 'further']);
  const { id } = keys.find((key: Listed) => key.made_by === 'bot');
  expect((await server.get(max, path)).body.msg).toBe('Insufficient permission');
  expect((await server.delete(max, `${path}/${id}`)).body.msg).toBe('Insufficient permission');
  expect((await server.get(bot, '/users/me')).status).toBe(200);
  expect((await server.delete(mel, `${path}/${id}`)).status).toBe(200);
  expect(await server.get(bot, '/users/me')).toMatchObject(NO_KEY);
});

const NO_SUCH = 'No such API key';

const seconds = ({ clock }: TestServer) => Math.floor(clock.now() / 1000);

async function keysOf(server: TestServer, person: Person): Promise<readonly Listed[]> {
  const { status, body } = await server.get(person, '/users/me/api_keys');
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.api_keys;
}

/** Makes a key that is a second younger than any other, so that it is listed first. */
async function furtherKey(server: TestServer, person: Person): Promise<Person> {
  await server.advance(1_000);
  const apiKey = await server.perform((tx) => issueApiKey(tx, person.id, 'login'));
  return { ...person, apiKey };
}
