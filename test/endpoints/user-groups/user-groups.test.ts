import { expect, test } from 'vitest';
import {
  GROUP_NAME_LENGTH_MAX,
  GROUP_PARTS_PER_REQUEST_MAX,
  GROUPS_PER_REALM_MAX,
} from '../../../src/domain/limits/groups.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Params } from '../../support/client.ts';
import { MEMBERS, MODERATORS, startWithGroup } from '../../support/people/groups-of-people.ts';
import { startServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const NOBODY = systemGroupId('role:nobody');
const EVERYONE = systemGroupId('role:everyone');
const DEACTIVATED = {
  client_capabilities: { notification_settings_null: true, include_deactivated_groups: true },
};

test('a group is made of people and groups, with the defaults of its permissions, and everyone is told', async () => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  const queues = await Promise.all([mel, gus].map((person) => server.register(person)));
  const { body } = await server.post(mel, '/user_groups/create', {
    name: ' cooks ',
    description: 'They cook',
    members: [max.id, mel.id, max.id],
    subgroups: [MODERATORS],
    can_mention_group: { direct_members: [mel.id], direct_subgroups: [] },
    can_join_group: { direct_members: [], direct_subgroups: [MEMBERS] },
  });
  expect(body).toEqual({ result: 'success', msg: '', group_id: 101 });
  const creator = { direct_members: [mel.id], direct_subgroups: [] };
  const group = {
    id: 101,
    name: 'cooks',
    description: 'They cook',
    date_created: Date.UTC(2026, 0, 5, 9) / 1000,
    creator_id: mel.id,
    members: [mel.id, max.id],
    direct_subgroup_ids: [MODERATORS],
    is_system_group: false,
    deactivated: false,
    can_add_members_group: creator,
    can_join_group: MEMBERS,
    can_leave_group: EVERYONE,
    can_manage_group: creator,
    can_mention_group: creator,
    can_remove_members_group: creator,
  };
  for (const queue of queues) {
    const events = await queue.now();
    expect(events).toEqual([{ id: expect.any(Number), type: 'user_group', op: 'add', group }]);
    const { state } = await server.register(queue.as);
    expect(state.realm_user_groups.at(-1)).toEqual(group);
  }
  const listed = await server.get(max, '/user_groups');
  expect(listed.body.user_groups.map(({ id }: { id: number }) => id)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 101,
  ]);
  expect(listed.body.user_groups.at(-1)).toEqual(group);
});

test.each<{ why: string; as?: PersonName; params?: Params; msg: RegExp; code?: string }>([
  { why: 'a guest makes it', as: 'gus', msg: /guest/ },
  { why: 'a bot makes it', as: 'bot', msg: /bot requests/ },
  { why: 'it has no name', params: { name: undefined }, msg: /Missing 'name'/, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'it has no description', params: { description: undefined }, msg: /Missing 'description'/, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'it has no members', params: { members: undefined }, msg: /Missing 'members'/, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'its name is blank', params: { name: '  ' }, msg: /can't be empty/ },
  { why: 'its name is too long', params: { name: 'x'.repeat(GROUP_NAME_LENGTH_MAX + 1) }, msg: /cannot exceed 100 characters/ },
  { why: 'its name begins as a mention', params: { name: '@cooks' }, msg: /cannot start with '@'/ },
  { why: 'its name begins as that of a role', params: { name: 'Role:cooks' }, msg: /cannot start with 'role:'/ },
  { why: 'its name begins as that of a user', params: { name: 'user:1' }, msg: /cannot start with 'user:'/ },
  { why: 'its name begins as that of a stream', params: { name: 'stream:1' }, msg: /cannot start with 'stream:'/ },
  { why: 'its name begins as that of a channel', params: { name: 'channel:1' }, msg: /cannot start with 'channel:'/ },
  { why: 'its name is unprintable', params: { name: 'a\0b' }, msg: /Invalid character/ },
  { why: 'its name is taken', params: { name: 'COOKS' }, msg: /'COOKS' already exists/ },
  { why: 'its description is too long', params: { description: 'x'.repeat(1_025) }, msg: /too long/ },
  { why: 'its description has a NUL', params: { description: 'a\0b' }, msg: /Invalid character/ },
  { why: 'a member is nobody', params: { members: [999] }, msg: /Invalid user ID: 999/ },
  { why: 'members are words', params: { members: ['mel'] }, msg: /^members\[0\] is not an integer/ },
  { why: 'members are too many', params: { members: Array.from({ length: GROUP_PARTS_PER_REQUEST_MAX + 1 }, (_, i) => i) }, msg: /^members has more than 10000 items/ },
  { why: 'a subgroup is none', params: { subgroups: [999] }, msg: /Invalid user group ID: 999/ },
  { why: 'everyone is to manage it', params: { can_manage_group: EVERYONE }, msg: /'can_manage_group' setting cannot be set to 'role:everyone'/ },
  { why: 'the internet is to manage it', params: { can_manage_group: 1 }, msg: /'role:internet'/ },
  { why: 'owners alone are to mention it', params: { can_mention_group: 7 }, msg: /'role:owners'/ },
  { why: 'a permission is for nobody there is', params: { can_join_group: 999 }, msg: /Invalid user group ID: 999/ },
  { why: 'a permission is a word', params: { can_join_group: '"all"' }, msg: /^can_join_group is not a user group/ },
])('no group is made where $why', async ({ as = 'ona', params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startWithGroup();
  const queue = await server.register(server.people.mel);
  const given = { name: 'new', description: '', members: [], ...params };
  const reply = await server.post(server.people[as], '/user_groups/create', given);
  expect(reply).toMatchObject({ status: 400, body: { code, msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
}); // biome-ignore format: a table

test('who may make groups is a setting of the organization', async () => {
  const server = await startServer();
  await server.set('can_create_groups', MODERATORS);
  const group = { name: 'new', description: '', members: [] };
  const refused = await server.post(server.people.mel, '/user_groups/create', group);
  expect(refused).toMatchObject({ status: 400, body: { msg: 'Insufficient permission' } });
  expect((await server.post(server.people.mia, '/user_groups/create', group)).status).toBe(200);
});

test.each<{ as: PersonName; given: object; params: Params; status: number }>([
  { as: 'max', given: {}, params: { delete: [5] }, status: 200 },
  { as: 'max', given: { can_leave_group: NOBODY }, params: { delete: [5] }, status: 400 },
  { as: 'max', given: {}, params: { add: [4] }, status: 400 },
  { as: 'mia', given: {}, params: { add: [3] }, status: 400 },
  { as: 'mia', given: { can_join_group: MEMBERS }, params: { add: [3] }, status: 200 },
  { as: 'mia', given: { can_join_group: MEMBERS }, params: { add: [3, 2] }, status: 400 },
  { as: 'mia', given: { can_join_group: MEMBERS }, params: { delete: [5] }, status: 400 },
  { as: 'mia', given: { can_add_members_group: MODERATORS }, params: { add: [3, 2], add_subgroups: [3] }, status: 200 },
  { as: 'mia', given: { can_add_members_group: MODERATORS }, params: { delete: [5] }, status: 400 },
  { as: 'mia', given: { can_remove_members_group: MODERATORS }, params: { delete: [5] }, status: 200 },
  { as: 'mia', given: { can_remove_members_group: MODERATORS }, params: { add: [3] }, status: 400 },
  { as: 'mia', given: { can_manage_group: MODERATORS }, params: { add: [3], delete: [5] }, status: 200 },
  { as: 'gus', given: { can_join_group: { direct_members: [6], direct_subgroups: [] } }, params: { add: [6] }, status: 400 },
  { as: 'ada', given: {}, params: { add: [2] }, status: 400 },
  { as: 'ona', given: {}, params: { add: [1] }, status: 200 },
])('$as with $given may do $params: $status', async ({ as, given, params, status }) => {
  const server = await startWithGroup(given as Params);
  const before = await server.get(server.people.mel, '/user_groups/101/members');
  const reply = await server.post(server.people[as], '/user_groups/101/members', params);
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  if (status === 200) return;
  expect(reply.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Insufficient permission' });
  expect(await server.get(server.people.mel, '/user_groups/101/members')).toMatchObject({ body: before.body });
}); // biome-ignore format: a table

test('a group is renamed, described and given other permissions, in one event', async () => {
  const server = await startWithGroup();
  const { mel, max } = server.people;
  const queue = await server.register(max);
  const { body } = await server.patch(mel, '/user_groups/101', {
    name: 'Cooks',
    description: 'They bake',
    can_mention_group: { new: MEMBERS, old: EVERYONE },
    can_join_group: { new: NOBODY },
  });
  expect(body).toEqual({ result: 'success', msg: '' });
  expect(await queue.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'user_group',
      op: 'update',
      group_id: 101,
      data: { name: 'Cooks', description: 'They bake', can_mention_group: MEMBERS },
    },
  ]);
  await server.patch(mel, '/user_groups/101', { name: 'Cooks' });
  expect(await queue.now()).toEqual([]);
  // The old name is free, whatever its case.
  await server.patch(mel, '/user_groups/101', { name: 'bakers' });
  const again = { name: 'cooks', description: '', members: [] };
  expect((await server.post(mel, '/user_groups/create', again)).status).toBe(200);
});

test.each<{ why: string; as?: PersonName; id?: number; params: Params; msg: RegExp; code?: string }>([
  { why: 'nothing is given', params: {}, msg: /No new data/ },
  { why: 'somebody else asks', as: 'max', params: { name: 'x' }, msg: /Insufficient permission/ },
  { why: 'the group is none', id: 999, params: { name: 'x' }, msg: /Invalid user group ID/ },
  { why: 'it is one of a role', as: 'ona', id: 3, params: { name: 'x' }, msg: /Insufficient permission/ },
  { why: 'the name is taken', params: { name: 'B' }, msg: /already exists/ },
  { why: 'the name is blank', params: { name: '' }, msg: /can't be empty/ },
  { why: 'another value is stored', params: { name: 'x', can_join_group: { new: MEMBERS, old: MEMBERS } }, msg: /does not match/, code: 'EXPECTATION_MISMATCH' },
  { why: 'a permission is bare', params: { can_join_group: MEMBERS }, msg: /^can_join_group is not a dict/ },
  { why: 'everyone is to manage it', params: { can_manage_group: { new: EVERYONE } }, msg: /role:everyone/ },
  { why: 'it is to be deactivated', params: { deactivated: true }, msg: /deactivated by POST/ },
])('a group stays as it is where $why', async ({ as = 'mel', id = 101, params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startWithGroup();
  await server.post(server.people.ona, '/user_groups/create', { name: 'b', description: '', members: [] });
  const queue = await server.register(server.people.mel);
  const reply = await server.patch(server.people[as], `/user_groups/${id}`, params);
  expect(reply).toMatchObject({ status: 400, body: { code, msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
}); // biome-ignore format: a table

test('a deactivated group is gone for older clients, and comes back to them', async () => {
  const server = await startWithGroup();
  const { mel, max } = server.people;
  const modern = await server.register(max, DEACTIVATED);
  const older = await server.register(max);
  expect((await server.post(mel, '/user_groups/101/deactivate')).body.result).toBe('success');
  const inUse = await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'x' }],
    can_send_message_group: 101,
  });
  expect(inUse.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid user group ID: 101' });
  expect((await server.post(mel, '/user_groups/101/deactivate')).body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'User group is already deactivated.',
  });
  const listed = async (all: boolean) =>
    (
      await server.get(max, '/user_groups', { include_deactivated_groups: all })
    ).body.user_groups.filter(
      ({ is_system_group }: { is_system_group: boolean }) => !is_system_group,
    );
  expect(await listed(false)).toEqual([]);
  expect(await listed(true)).toMatchObject([{ id: 101, deactivated: true }]);
  await server.patch(mel, '/user_groups/101', { name: 'bakers' });
  await server.post(mel, '/user_groups/101/members', { add: [mel.id] });
  await server.patch(mel, '/user_groups/101', { deactivated: false });
  const change = { type: 'user_group', op: 'update', group_id: 101 };
  const groupEvents = async (queue: typeof modern) =>
    (await queue.now())
      .filter(({ type }) => type === 'user_group')
      .map(({ id, ...event }) => event);
  expect(await groupEvents(modern)).toEqual([
    { ...change, data: { deactivated: true } },
    { ...change, data: { name: 'bakers' } },
    { type: 'user_group', op: 'add_members', group_id: 101, user_ids: [mel.id] },
    { ...change, data: { deactivated: false } },
  ]);
  expect(await groupEvents(older)).toMatchObject([
    { type: 'user_group', op: 'remove', group_id: 101 },
    {
      op: 'add',
      group: { id: 101, name: 'bakers', members: [mel.id, max.id], deactivated: false },
    },
  ]);
});

test('a group that something uses is not deactivated, and the refusal says what does', async () => {
  const server = await startWithGroup();
  const { mel, ona } = server.people;
  await server.post(mel, '/user_groups/create', {
    name: 'outer',
    description: '',
    members: [],
    subgroups: [101],
    can_join_group: 101,
    can_leave_group: { direct_members: [4], direct_subgroups: [101] },
  });
  await server.patch(mel, '/user_groups/101', { can_mention_group: { new: 101 } });
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'kitchen' }],
    can_send_message_group: 101,
    can_administer_channel_group: { direct_members: [4], direct_subgroups: [101] },
  });
  await server.set('can_create_groups', 101);
  const reply = await server.post(ona, '/user_groups/101/deactivate');
  expect(reply).toMatchObject({ status: 400, body: { code: 'CANNOT_DEACTIVATE_GROUP_IN_USE' } });
  expect(reply.body.objections).toEqual([
    { type: 'subgroup', supergroup_ids: [102] },
    { type: 'realm', settings: ['can_create_groups'] },
    {
      type: 'channel',
      channel_id: 1,
      settings: ['can_administer_channel_group', 'can_send_message_group'],
    },
    { type: 'user_group', group_id: 102, settings: ['can_join_group', 'can_leave_group'] },
  ]);
  const refused = await server.post(server.people.max, '/user_groups/101/deactivate');
  expect(refused.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Insufficient permission' });
});

test('an organization has so many groups', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.perform((tx) => tx.sequences.put(['group'], { last: GROUPS_PER_REALM_MAX - 1 }));
  const make = (name: string) =>
    server.post(mel, '/user_groups/create', { name, description: '', members: [] });
  expect((await make('last')).body).toMatchObject({ group_id: 100 + GROUPS_PER_REALM_MAX });
  expect(await make('more')).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'An organization has at most 10000 user groups.' },
  });
});
