import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person, PersonName } from '../../support/users.ts';

const OK = { status: 200, body: { result: 'success', msg: '' } };
const refused = (msg: string, code = 'BAD_REQUEST') => ({
  status: 400,
  body: { result: 'error', code, msg },
});

const update = (server: TestServer, as: Person, id: number | string, params: object) =>
  server.patch(as, `/users/${id}`, { ...params });

const told = async (queue: { now(): Promise<{ id: number }[]> }) =>
  (await queue.now()).map(({ id, ...event }) => event);

const person = (user_id: number, change: object) => ({
  type: 'realm_user',
  op: 'update',
  person: { user_id, ...change },
});
const group = (op: string, group_id: number, userId: number) => ({
  type: 'user_group',
  op,
  group_id,
  user_ids: [userId],
});

test('an administrator changes a name and profile data, by id and by address, and everyone hears of it', async () => {
  const server = await startServer();
  const { ada, mel, gus } = server.people;
  const field = await server.post(ada, '/realm/profile_fields', { name: 'Team', field_type: 1 });
  const { id } = field.body;
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  const profile_data = [{ id, value: 'tea' }];
  const both = { full_name: ' Melanie ', profile_data };
  expect(await update(server, ada, mel.id, both)).toMatchObject(OK);
  expect(await update(server, ada, mel.email, { full_name: 'Mel' })).toMatchObject(OK);
  expect(await update(server, ada, mel.id, { full_name: 'Mel' })).toMatchObject(OK);
  expect(await update(server, ada, mel.id, {})).toMatchObject(OK);
  const rendered = { id, value: 'tea', rendered_value: '<p>tea</p>' };
  expect(await told(queue)).toEqual([
    person(mel.id, { full_name: 'Melanie' }),
    person(mel.id, { custom_profile_field: rendered }),
    person(mel.id, { full_name: 'Mel' }),
  ]);
});

test('a new role is told with its groups, and the clients of whose it is register again', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, gus } = server.people;
  const types = { event_types: ['realm_user', 'user_group', 'stream'] };
  const [watcher, own] = await Promise.all([gus, mel].map((one) => server.register(one, types)));
  const waiting = own?.poll();
  expect(await update(server, ada, mel.id, { role: 200 })).toMatchObject(OK);
  expect(await update(server, ada, mel.id, { role: 200 })).toMatchObject(OK);
  const [full, administrators] = [
    systemGroupId('role:fullmembers'),
    systemGroupId('role:administrators'),
  ];
  expect(await told(watcher ?? expect.fail())).toEqual([
    person(mel.id, { role: 200 }),
    group('add_members', administrators, mel.id),
    group('remove_members', full, mel.id),
  ]);
  expect((await waiting)?.body.events).toEqual([]);
  expect((await own?.poll())?.body.code).toBe('BAD_EVENT_QUEUE_ID');
  expect((await server.get(mel, '/users/me')).body).toMatchObject({ role: 200, is_admin: true });
  expect(await update(server, mel, gus.id, { full_name: 'Gustav' })).toMatchObject(OK);
});

const everyoneBut = (server: TestServer, ...left: PersonName[]) =>
  (Object.keys(server.people) as PersonName[]) // the names of people
    .filter((name) => !left.includes(name))
    .map((name) => server.people[name]);

test.each([
  { from: 'member', to: 300, name: 'mel' },
  { from: 'member', to: 100, name: 'mel' },
  { from: 'member', to: 600, name: 'mel' },
  { from: 'guest', to: 400, name: 'gus' },
  { from: 'administrator', to: 400, name: 'ada' },
  { from: 'moderator', to: 600, name: 'mia' },
] as const)(
  '4: a $from of role $to from now on: a snapshot and the events give what a fresh register gives',
  async ({ to, name }) => {
    const server = await startServer({ channels: ['general'] });
    const { ona, mel, max } = server.people;
    await server.post(mel, '/channels/create', {
      name: 'secret',
      subscribers: [mel.id, max.id],
      invite_only: true,
      can_subscribe_group: systemGroupId('role:moderators'),
    });
    await server.set('can_access_all_users_group', systemGroupId('role:members'));
    await server.post(ona, '/channels/create', { name: 'left', subscribers: [ona.id, mel.id] });
    await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['left'] });
    const changed = server.people[name];
    const change = async () =>
      expect(await update(server, ona, changed.id, { role: to })).toMatchObject(OK);
    await expectExactAfter(server, change, { people: everyoneBut(server, name) });
    // The account itself sees the right state from then on, and goes on from there.
    await expectExactAfter(server, () => update(server, ona, max.id, { role: 300 }), {
      people: everyoneBut(server, 'max'),
    });
  },
);

test('a guest has not left the channels that they may not know of any more', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const unsubscribed = async () => (await server.register(mel, MODERN)).state.unsubscribed;
  expect(await unsubscribed()).toHaveLength(1);
  await update(server, ona, mel.id, { role: 600 });
  expect(await unsubscribed()).toEqual([]);
  await update(server, ona, mel.id, { role: 400 });
  expect(await unsubscribed()).toEqual([]);
});

test('a deactivated account has another role when it comes back', async () => {
  const server = await startServer();
  const { ona, mel } = server.people;
  await server.delete(ona, `/users/${mel.id}`);
  const people = everyoneBut(server, 'mel');
  await expectExactAfter(server, () => update(server, ona, mel.id, { role: 300 }), { people });
  await expectExactAfter(server, () => server.post(ona, `/users/${mel.id}/reactivate`), { people });
  // The account's former keys do not open it, so the owner looks.
  expect((await server.get(ona, `/users/${mel.id}`)).body.user.role).toBe(300);
});

test('only owners decide who is an owner, and one always stays', async () => {
  const server = await startServer();
  const { ona, ada, mel } = server.people;
  const owner = refused('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL');
  expect(await update(server, ada, mel.id, { role: 100 })).toMatchObject(owner);
  expect(await update(server, ada, ona.id, { role: 400 })).toMatchObject(owner);
  expect(await update(server, ada, ona.id, { new_email: 'new@example.com' })).toMatchObject(owner);
  const last = 'The owner permission cannot be removed from the only organization owner.';
  expect(await update(server, ona, ona.id, { role: 200 })).toMatchObject(refused(last));
  expect(await update(server, ona, ada.id, { role: 100 })).toMatchObject(OK);
  expect(await update(server, ada, ona.id, { role: 400 })).toMatchObject(OK);
  expect(await update(server, ona, mel.id, { full_name: 'Mel' })).toMatchObject(
    refused('Insufficient permission'),
  );
});

test('a new address holds at once, and each is told what they may know of it', async () => {
  const server = await startServer();
  const { ada, mel, gus, max } = server.people;
  await expectExactAfter(server, () => update(server, ada, mel.id, { new_email: ' a@b.org ' }), {
    people: [ada, gus, max],
  });
  const renewed = { ...mel, email: 'a@b.org' };
  expect((await server.get(renewed, '/users/me')).status).toBe(200);
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  expect(await update(server, ada, mel.id, { new_email: 'a@b.org' })).toMatchObject(OK);
  expect(await queue.now()).toEqual([]);
});

test('a bot has a name and a role, and no more; its role is set by administrators', async () => {
  const server = await startServer();
  const { ona, ada, mel, bot } = server.people;
  await server.post(ona, '/bots', { full_name: 'Bee', short_name: 'bee' });
  const both = { full_name: 'Helper', role: 300 };
  await expectExactAfter(server, () => update(server, ada, bot.id, both), {
    people: everyoneBut(server, 'bot'),
  });
  expect((await server.get(bot, '/users/me')).body).toMatchObject({
    full_name: 'Helper',
    role: 300,
  });
  expect(await update(server, ada, bot.id, { profile_data: [] })).toMatchObject(
    refused('Bots have no profile.'),
  );
  expect(await update(server, ada, bot.id, { new_email: 'a@b.org' })).toMatchObject(
    refused('The address of a bot does not change.'),
  );
  expect(await update(server, ada, bot.id, { full_name: 'bee' })).toMatchObject(
    refused('Name is already in use.'),
  );
  const { body } = await server.post(mel, '/bots', { full_name: 'Cow', short_name: 'cow' });
  const role = (as: Person, value: number) =>
    server.patch(as, `/bots/${body.user_id}`, { role: value });
  expect(await role(mel, 300)).toMatchObject(refused('Insufficient permission'));
  expect(await role(mel, 400)).toMatchObject({ status: 200 });
  expect(await role(ada, 100)).toMatchObject(
    refused('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'),
  );
  expect(await role(ada, 300)).toMatchObject({ status: 200 });
  expect((await server.get(ada, `/users/${body.user_id}`)).body.user.role).toBe(300);
});

test.each([
  { why: 'a member asks', as: 'mel', params: { full_name: 'x' }, msg: 'Insufficient permission' },
  { why: 'a role that is none', params: { role: 500 }, msg: 'Invalid role' },
  { why: 'a role in words', params: { role: 'owner' }, msg: 'role is not an integer' },
  { why: 'a name too short', params: { full_name: 'x' }, msg: 'Name too short!' },
  { why: 'an impossible name', params: { full_name: 'a*b' }, msg: 'Invalid characters in name!' },
  { why: 'no address', params: { new_email: 'x' }, msg: 'Invalid email address' },
  {
    why: 'a taken address',
    params: { new_email: 'MAX@example.com' },
    msg: 'Already has an account.',
  },
  {
    why: 'a disposable address',
    params: { new_email: 'x@mailinator.com' },
    msg: 'Disposable email addresses are not allowed in this organization',
  },
  { why: 'no list of data', params: { profile_data: '{}' }, msg: 'profile_data is not a list' },
  {
    why: 'an unknown field, after a name that could be',
    params: { full_name: 'Melanie', profile_data: [{ id: 9, value: 'x' }] },
    msg: 'Field id 9 not found.',
  },
  { why: 'nobody, by id', id: 99, params: {}, msg: 'No such user' },
  { why: 'nobody, by address', id: 'x@y.org', params: {}, msg: 'No such user' },
] as const)('is refused: $why', async ({ params, msg, ...rest }) => {
  const server = await startServer();
  const { as, id } = { as: 'ada' as const, id: 4, ...rest };
  expect(await update(server, server.people[as], id, params)).toMatchObject(refused(msg));
  expect((await server.get(server.people.mel, '/users/me')).body).toMatchObject({
    full_name: 'Mel Member',
    role: 400,
    delivery_email: 'mel@example.com',
  });
});
