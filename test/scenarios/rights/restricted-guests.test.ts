import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import * as errors from '../../../src/domain/wire/errors.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/** Guests who may know only those with whom they share a channel or a conversation. */

const PEOPLE = { event_types: ['realm_user'] };
const MODERN_PEOPLE = {
  ...PEOPLE,
  client_capabilities: { notification_settings_null: true, user_list_incomplete: true },
};

test('a guest hears of those whom a channel brings, before they are among its subscribers', async () => {
  const server = await startRestricted();
  const { mel, max, gus } = server.people;
  await subscribe(server, 'team', [mel, max]);
  const types = { ...MODERN_PEOPLE, event_types: ['realm_user', 'subscription'] };
  const queue = await server.register(gus, types);
  await subscribe(server, 'team', [gus]);
  const events = await queue.now();
  expect(events.map(({ type, op }) => `${type} ${op}`)).toEqual([
    'realm_user add',
    'realm_user add',
    'realm_user add',
    'subscription add',
  ]);
  const added = events.flatMap(({ person }) => (person === undefined ? [] : [person]));
  const ids = added.map(({ user_id }) => user_id);
  expect(ids.sort()).toEqual([server.people.ada.id, mel.id, max.id].sort());
  const fields = { full_name: 'Mel Member', delivery_email: mel.email, is_active: true };
  expect(added.find(({ user_id }) => user_id === mel.id)).toMatchObject(fields);
});

test('a guest hears of those who join a channel, and is told when somebody is hidden', async () => {
  const server = await startRestricted();
  const { mel, gus } = server.people;
  await subscribe(server, 'team', [gus]);
  const queue = await server.register(gus, MODERN_PEOPLE);
  await subscribe(server, 'team', [mel]);
  await server.patch(mel, '/settings', { full_name: 'Melanie' });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
  await server.patch(mel, '/settings', { full_name: 'Mel' });
  const events = (await queue.now()).map(({ op, person }) => ({ op, ...person }));
  expect(events).toEqual([
    expect.objectContaining({ op: 'add', user_id: mel.id, full_name: 'Mel Member' }),
    { op: 'update', user_id: mel.id, full_name: 'Melanie' },
    { op: 'remove', user_id: mel.id, full_name: 'Unknown user' },
  ]);
});

test('who is known from elsewhere neither comes nor goes', async () => {
  const server = await startRestricted();
  const { mel, gus } = server.people;
  await subscribe(server, 'team', [gus, mel]);
  await subscribe(server, 'other', [gus, mel]);
  const queue = await server.register(gus, MODERN_PEOPLE);
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['other'] });
  await server.post(mel, '/messages', { type: 'direct', to: [gus.id], content: 'hi' });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
  expect(await queue.now()).toEqual([]);
});

test('a first direct message makes people known', async () => {
  const server = await startRestricted();
  const { mel, max, gus } = server.people;
  const queue = await server.register(gus, MODERN_PEOPLE);
  const message = { type: 'direct', to: [gus.id, max.id], content: 'hi' };
  await server.post(mel, '/messages', message);
  await server.post(mel, '/messages', message);
  expect((await queue.now()).map(({ op, person }) => [op, person.user_id])).toEqual([
    ['add', mel.id],
    ['add', max.id],
  ]);
});

test('a new account is a placeholder to guests whose clients list everybody', async () => {
  const server = await startRestricted();
  const { gus } = server.people;
  const older = await server.register(gus);
  const modern = await server.register(gus, MODERN_PEOPLE);
  const person = { realm: 'test', email: 'new@example.com', name: 'New Person', role: 'member' };
  await runCommand(server.app.realms, 'user create', person);
  const added = (await older.now()).filter(({ type }) => type === 'realm_user');
  expect(await modern.now()).toEqual([]);
  expect(added).toHaveLength(1);
  const { is_active, ...listed } = added[0]?.['person'] ?? {};
  expect(listed.full_name).toBe('Unknown user');
  const fresh = (await server.register(gus)).state.realm_users;
  expect(fresh.at(-1)).toEqual(listed);
});

test('who becomes hidden is a placeholder for clients that list everybody, and nothing more is known of them', async () => {
  const server = await startRestricted();
  const { mel, gus } = server.people;
  await subscribe(server, 'team', [mel, gus]);
  await server.post(mel, '/users/me/status', { status_text: 'busy' });
  const older = await server.register(gus);
  const modern = await server.register(gus, MODERN_PEOPLE);
  const { delete: leave } = server;
  const others = { ...MODERN, client_capabilities: { notification_settings_null: true } };
  for (const options of [MODERN, others]) {
    await expectExactAfter(
      server,
      async () => {
        await leave(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
      },
      { people: [gus], options },
    );
    await subscribe(server, 'team', [mel]);
  }
  const removed = { op: 'remove', person: { user_id: mel.id, full_name: 'Unknown user' } };
  const [first, second] = (await older.now()).filter(({ type }) => type === 'realm_user');
  expect(first).toMatchObject(removed);
  expect(second).toMatchObject({
    op: 'add',
    person: { user_id: mel.id, full_name: 'Unknown user', delivery_email: null },
  });
  expect((await modern.now()).map(({ op }) => op)).toEqual(['remove', 'add', 'remove', 'add']);
});

test('a snapshot and the events of people who come and go give what a fresh register gives', async () => {
  const server = await startRestricted();
  const { ada, mel, max, gus } = server.people;
  await expectExactAfter(server, async () => {
    await subscribe(server, 'team', [mel, gus]);
    await subscribe(server, 'team', [max]);
    await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
    await server.patch(max, '/settings', { full_name: 'Maximilian' });
    await server.post(mel, '/messages', { type: 'direct', to: [gus.id], content: 'hi' });
    await server.post(ada, `/users/${mel.id}/status`, { status_text: 'known' });
    await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['team'] });
    await subscribe(server, 'team', [gus]);
  });
});

test('4: whoever becomes visible comes with their status', async () => {
  const server = await startRestricted();
  const { mel, max, gus } = server.people;
  await server.post(mel, '/users/me/status', { status_text: 'busy', emoji_name: 'car' });
  await server.patch(max, '/settings', { presence_enabled: false });
  await expectExactAfter(server, async () => {
    await subscribe(server, 'team', [mel, gus]);
    await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
    const to = [gus.id, mel.id];
    await server.post(max, '/messages', { type: 'direct', to, content: 'hi' });
  });
  const { user_status } = (await server.register(gus)).state;
  expect(user_status[mel.id]).toMatchObject({ status_text: 'busy', emoji_name: 'car' });
});

test('4: guests register again when it changes whom all of them know; the others are told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max, gus } = server.people;
  await server.post(mel, '/users/me/status', { status_text: 'out' });
  for (const group of ['role:members', 'role:everyone'] as const) {
    const polling = await server.register(gus, PEOPLE);
    const idle = await server.register(gus);
    const member = await server.register(max, { event_types: ['realm'] });
    const waiting = polling.poll();
    const value = systemGroupId(group);
    await expectExactAfter(server, () => server.set('can_access_all_users_group', value), {
      people: [ona, max],
    });
    const ended = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: polling.id } };
    expect(await waiting).toMatchObject({ status: 200, body: { events: [] } });
    expect(await polling.poll({ dont_block: true })).toMatchObject(ended);
    expect(await idle.poll({ dont_block: true })).toMatchObject({
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID' },
    });
    expect((await member.now()).map(({ data }) => data)).toEqual([
      { can_access_all_users_group: value },
    ]);
    const { state } = await server.register(gus, { fetch_event_types: ['realm_user'] });
    expect(state.realm_users).toHaveLength(7);
  }
  expect(server.bugs).toEqual([]);
});

test('a queue that an operation ends stays ended after a restart, and one that is refused ends none', async () => {
  const server = await startServer();
  const { gus } = server.people;
  const queue = await server.register(gus);
  const refused = server.perform((tx) => {
    tx.endQueue(queue.id);
    throw errors.badRequest('no');
  });
  await expect(refused).rejects.toThrow('no');
  await server.perform(() => undefined);
  expect(await queue.now()).toEqual([]);
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.restart();
  expect(await queue.poll({ dont_block: true })).toMatchObject({ status: 400 });
});

async function startRestricted(): Promise<TestServer> {
  const server = await startServer();
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  return server;
}

/** Ada subscribes them, and is in the channel that she makes. */
const subscribe = async (server: TestServer, name: string, people: readonly Person[]) => {
  const { ada } = server.people;
  const principals = [ada, ...people].map(({ id }) => id);
  const subscriptions = [{ name }];
  await server.post(ada, '/users/me/subscriptions', { subscriptions, principals });
};
