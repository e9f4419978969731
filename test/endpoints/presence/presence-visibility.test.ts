import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { OLDER, report, SIMPLE, START } from '../../support/people/presences.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('somebody invisible reports nothing, and is answered as ever', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.patch(mel, '/settings', { presence_enabled: false });
  const queue = await server.register(max, SIMPLE);
  const { body } = await report(server, mel, { last_update_id: -1 });
  expect(body).toMatchObject({ presence_last_update_id: -1, presences: {} });
  expect(await queue.now()).toEqual([]);
});

test('becoming invisible is going at once, and becoming visible is coming back', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await report(server, mel);
  const queue = await server.register(max, SIMPLE);
  await server.advance(10_000);
  await server.patch(mel, '/settings', { presence_enabled: false });
  await server.advance(10_000);
  await server.patch(mel, '/settings', { presence_enabled: true });
  const gone = { active_timestamp: START + 10 - 201, idle_timestamp: START + 10 - 201 };
  const back = { active_timestamp: START + 20, idle_timestamp: START + 20 };
  expect((await queue.now()).map(({ presences }) => presences)).toEqual([
    { [mel.id]: gone },
    { [mel.id]: back },
  ]);
});

test('where the organization has no presence nothing is told', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await report(server, mel);
  await server.set('presence_disabled', true);
  const queue = await server.register(max, SIMPLE);
  expect((await report(server, max, { last_update_id: -1 })).body).toMatchObject({
    presence_last_update_id: -1,
    presences: {},
  });
  expect((await report(server, max, { last_update_id: 1 })).body).toMatchObject({
    presence_last_update_id: 1,
    presences: {},
  });
  expect(await queue.now()).toEqual([]);
  expect((await server.register(max)).state).toMatchObject({
    presences: {},
    presence_last_update_id: -1,
  });
  expect((await server.get(max, '/realm/presence')).body.presences).toEqual({});
});

test('a hundred active accounts are told who comes online, a hundred and one are not', async () => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  await addAccounts(server, 93);
  const queue = await server.register(gus, SIMPLE);
  await report(server, mel);
  await addAccounts(server, 1);
  await report(server, max);
  expect((await queue.now()).map(({ presences }) => Object.keys(presences))).toEqual([
    [String(mel.id)],
  ]);
});

test('those who are deactivated are in no list', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await report(server, mel);
  await server.perform((tx) => {
    const user = tx.users.get([mel.id]) ?? expect.fail('there is mel');
    tx.users.put([mel.id], { ...user, isActive: false });
  });
  const { body } = await report(server, max, { last_update_id: -1 });
  expect(Object.keys(body.presences)).toEqual([String(max.id)]);
});

test.each([
  { limit: '0', seen: ['4', '5', '6'] },
  { limit: '1', seen: ['5', '6'] },
])('with CONFAB_LIMIT_PRESENCE=$limit a guest is told of $seen', async ({ limit, seen }) => {
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_LIMIT_PRESENCE: limit },
  });
  const { mel, max, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queue = await server.register(gus, SIMPLE);
  for (const person of [mel, max, gus]) await report(server, person);
  const { body } = await report(server, gus, { last_update_id: -1 });
  expect(Object.keys(body.presences)).toEqual(seen);
  expect((await queue.now()).flatMap(({ presences }) => Object.keys(presences))).toEqual(seen);
  const state = (await server.register(gus, { slim_presence: true })).state;
  expect(Object.keys(state.presences)).toEqual(seen);
});

test('a guest is not told the address of a hidden user who is there', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const [guest, member] = [await server.register(gus, OLDER), await server.register(max, OLDER)];
  for (const person of [mel, max]) await report(server, person);
  const hidden = `user${mel.id}@test.localhost`;
  const told = async (queue: typeof guest) => (await queue.now()).map(({ email }) => email);
  expect(await told(guest)).toEqual([hidden, max.email]);
  expect(await told(member)).toEqual([mel.email, max.email]);
  const names = ({ presences }: { presences?: object }) => Object.keys(presences ?? {});
  const seen = [hidden, max.email];
  expect(names((await server.get(gus, '/realm/presence')).body)).toEqual(seen);
  expect(names((await server.register(gus)).state)).toEqual(seen);
  expect(names((await report(server, gus)).body)).toEqual([...seen, gus.email]);
  expect(names((await server.get(max, '/realm/presence')).body)).toEqual([
    mel.email,
    max.email,
    gus.email,
  ]);
});

test.each([
  { params: { status: undefined }, code: 'REQUEST_VARIABLE_MISSING' },
  { params: { status: 'away' }, msg: 'Invalid status' },
  { params: { last_update_id: -2 }, msg: 'last_update_id is too small' },
  { params: { last_update_id: 'new' }, msg: 'last_update_id is not an integer' },
  { params: { last_update_id: '99999999999999999' }, msg: 'last_update_id is not an integer' },
  { params: { history_limit_days: -1 }, msg: 'history_limit_days is too small' },
  { params: { ping_only: 1 }, msg: 'ping_only is not a boolean' },
  { params: { slim_presence: 'no' }, msg: 'slim_presence is not a boolean' },
  { params: { new_user_input: 'no' }, msg: 'new_user_input is not a boolean' },
])('is refused: $params', async ({ params, code = 'BAD_REQUEST', msg }) => {
  const server = await startServer();
  const reply = await report(server, server.people.mel, params);
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({ code, ...(msg === undefined ? {} : { msg }) });
  expect((await server.register(server.people.mel)).state.presences).toEqual({});
});

test('bots have no presence', async () => {
  const server = await startServer();
  const reply = await report(server, server.people.bot);
  expect(reply.body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'This endpoint does not accept bot requests.',
  });
});

function addAccounts(server: TestServer, count: number) {
  return server.perform((tx) => {
    const template = tx.users.get([4]) ?? expect.fail('there is mel');
    for (let left = count; left > 0; left -= 1) {
      const id = tx.nextId('user');
      tx.users.put([id], { ...template, id, email: `x${id}@example.com` });
    }
  });
}
