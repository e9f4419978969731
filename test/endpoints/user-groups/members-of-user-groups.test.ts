import { expect, test } from 'vitest';
import type { Params } from '../../support/client.ts';
import { MEMBERS, MODERATORS, startWithGroup } from '../../support/people/groups-of-people.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('people and groups come and go, everyone is told of each, and those concerned are written to', async () => {
  const server = await startWithGroup();
  const { mel, max, mia, bot } = server.people;
  const queues = await Promise.all([mel, mia, max].map((person) => server.register(person)));
  const { body } = await server.post(mel, '/user_groups/101/members', {
    add: [mia.id, mel.id, bot.id],
    delete: [max.id],
    add_subgroups: [MODERATORS],
  });
  expect(body).toEqual({ result: 'success', msg: '' });
  await server.post(mel, '/user_groups/101/subgroups', { delete: [MODERATORS], add: [MEMBERS] });
  const type = 'user_group';
  const changes = [
    { type, op: 'add_members', group_id: 101, user_ids: [mia.id, mel.id, bot.id] },
    { type, op: 'remove_members', group_id: 101, user_ids: [max.id] },
    { type, op: 'add_subgroups', group_id: 101, direct_subgroup_ids: [MODERATORS] },
    { type, op: 'add_subgroups', group_id: 101, direct_subgroup_ids: [MEMBERS] },
    { type, op: 'remove_subgroups', group_id: 101, direct_subgroup_ids: [MODERATORS] },
  ].map((event) => ({ ...event, id: expect.any(Number) }));
  const [mels, mias, maxs] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mels).toEqual(changes);
  expect(mias?.filter((event) => event.type === 'user_group')).toEqual(changes);
  const contents = (events: typeof mels) =>
    events?.filter((event) => event.type === 'message').map(({ message }) => message.content);
  expect(contents(mias)).toEqual([`@_**Mel Member|${mel.id}** added you to the group @_*cooks*.`]);
  expect(contents(maxs)).toEqual([
    `@_**Mel Member|${mel.id}** removed you from the group @_*cooks*.`,
  ]);
});

test.each<{ why: string; path?: string; params: Params; msg: RegExp }>([
  { why: 'there is nothing to do', params: {}, msg: /Nothing to do/ },
  { why: 'all lists are empty', params: { add: [], delete: [] }, msg: /Nothing to do/ },
  { why: 'somebody is in it', params: { add: [4, 5] }, msg: /5 is already a member/ },
  { why: 'somebody is not in it', params: { delete: [5, 4] }, msg: /no member '4'/ },
  { why: 'somebody is nobody', params: { add: [4, 999] }, msg: /Invalid user ID: 999/ },
  { why: 'nobody is removed', params: { delete: [999] }, msg: /Invalid user ID: 999/ },
  { why: 'the group is none', path: '/user_groups/999/members', params: { add: [4] }, msg: /Invalid user group ID: 999/ },
  { why: 'the group is one of a role', path: '/user_groups/3/members', params: { add: [4] }, msg: /Insufficient permission/ },
  { why: 'a subgroup is none', params: { add: [4], add_subgroups: [999] }, msg: /Invalid user group ID: 999/ },
  { why: 'a group is within itself', params: { add: [4], add_subgroups: [101] }, msg: /is already a subgroup of one of the passed subgroups\./ },
  { why: 'a subgroup is there', params: { add: [4], add_subgroups: [102] }, msg: /102 is already a subgroup/ },
  { why: 'a subgroup is not there', params: { add: [4], delete_subgroups: [3] }, msg: /3 is not a subgroup/ },
  { why: 'groups go in a circle', path: '/user_groups/102/subgroups', params: { add: [101] }, msg: /is already a subgroup of one of the passed subgroups\./ },
  { why: 'nothing is said of subgroups', path: '/user_groups/102/subgroups', params: {}, msg: /Nothing to do/ },
  { why: 'a list is none', params: { add: 4 }, msg: /^add is not a list/ },
])('nothing changes in a group where $why', async ({ path = '/user_groups/101/members', params, msg }) => {
  const server = await startWithGroup();
  const { mel } = server.people;
  await server.post(mel, '/user_groups/create', { name: 'b', description: '', members: [] });
  await server.post(mel, '/user_groups/101/subgroups', { add: [102] });
  const queue = await server.register(mel);
  const reply = await server.post(server.people.ona, path, params);
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
  const { body } = await server.get(mel, '/user_groups/101/members', { direct_member_only: true });
  expect(body.members).toEqual([5]);
}); // biome-ignore format: a table

test('people and groups are added and removed by one request', async () => {
  const server = await startWithGroup({ subgroups: [MODERATORS] });
  const { mel, max, mia } = server.people;
  const queue = await server.register(mel);
  const { body } = await server.post(mel, '/user_groups/101/members', {
    add: [mia.id],
    delete: [max.id],
    add_subgroups: [MEMBERS],
    delete_subgroups: [MODERATORS],
  });
  expect(body).toEqual({ result: 'success', msg: '' });
  const change = { id: expect.any(Number), type: 'user_group', group_id: 101 };
  const events = (await queue.now()).filter(({ type }) => type === 'user_group');
  expect(events).toHaveLength(4);
  expect(events).toEqual(
    expect.arrayContaining([
      { ...change, op: 'add_members', user_ids: [mia.id] },
      { ...change, op: 'remove_members', user_ids: [max.id] },
      { ...change, op: 'add_subgroups', direct_subgroup_ids: [MEMBERS] },
      { ...change, op: 'remove_subgroups', direct_subgroup_ids: [MODERATORS] },
    ]),
  );
  const { state } = await server.register(mel);
  expect(state.realm_user_groups.at(-1)).toMatchObject({
    members: [mia.id],
    direct_subgroup_ids: [MEMBERS],
  });
});

test('nobody adds or removes an account that is deactivated', async () => {
  const server = await startWithGroup();
  const { mel, max, gus } = server.people;
  for (const id of [max.id, gus.id]) await deactivate(server, id);
  const queue = await server.register(mel);
  for (const params of [{ add: [gus.id] }, { delete: [max.id] }]) {
    const reply = await server.post(mel, '/user_groups/101/members', params);
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/^Invalid user ID: [56]$/) },
    });
  }
  expect(await queue.now()).toEqual([]);
});

test('members and subgroups are listed directly or with all that is within', async () => {
  const server = await startWithGroup();
  const { mel, max, gus, mia } = server.people;
  await server.post(mel, '/user_groups/create', {
    name: 'outer',
    description: '',
    members: [mel.id],
    subgroups: [101, MODERATORS],
  });
  const read = async (path: string, params: Params = {}) =>
    (await server.get(gus, `/user_groups${path}`, params)).body;
  const isDirect = { direct_member_only: true };
  expect((await read('/102/members')).members).toEqual([1, 2, mia.id, mel.id, max.id]);
  expect((await read('/102/members', isDirect)).members).toEqual([mel.id]);
  expect((await read(`/${MODERATORS}/members`)).members).toEqual([1, 2, 3]);
  expect((await read(`/${MODERATORS}/members`, isDirect)).members).toEqual([3]);
  expect((await read('/102/subgroups')).subgroups).toEqual([5, 6, 7, 101]);
  expect((await read('/102/subgroups', { direct_subgroup_only: true })).subgroups).toEqual([
    5, 101,
  ]);
  expect(
    (await read(`/${MODERATORS}/subgroups`, { direct_subgroup_only: true })).subgroups,
  ).toEqual([6]);
  const isMember = async (id: number, userId: number, params: Params = {}) =>
    (await read(`/${id}/members/${userId}`, params)).is_user_group_member;
  expect(await isMember(102, max.id)).toBe(true);
  expect(await isMember(102, max.id, isDirect)).toBe(false);
  expect(await isMember(102, gus.id)).toBe(false);
  expect(await isMember(MODERATORS, 1)).toBe(true);
  expect(await isMember(MODERATORS, 1, isDirect)).toBe(false);
  for (const path of ['/999/members', '/999/subgroups', '/999/members/4']) {
    expect(await read(path)).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Invalid user group ID: 999',
    });
  }
  expect(await read('/101/members/999')).toMatchObject({ msg: 'Invalid user ID: 999' });
  for (const as of ['gus', 'bot'] as const) {
    expect((await server.get(server.people[as], '/user_groups')).body.code).toBe('BAD_REQUEST');
  }
  expect((await server.request('DELETE', '/user_groups/101', { as: mel })).status).toBe(405);
});

test('a chain of diamonds of groups is walked once for each group', async () => {
  const server = await startServer();
  const { ona, mel } = server.people;
  const make = async (name: string, subgroups: readonly number[]): Promise<number> => {
    const group = { name, description: '', members: [], subgroups };
    return (await server.post(ona, '/user_groups/create', group)).body.group_id;
  };
  let inner = await make('inner', []);
  // Each level doubles the number of ways: there are 2^25 of them.
  for (let level = 0; level < 25; level++) {
    const left = await make(`left ${level}`, [inner]);
    const right = await make(`right ${level}`, [inner]);
    inner = await make(`both ${level}`, [left, right]);
  }
  const path = `/user_groups/${inner}/members/${mel.id}`;
  expect((await server.get(mel, path)).body.is_user_group_member).toBe(false);
  await server.post(ona, '/user_groups/101/members', { add: [mel.id] });
  expect((await server.get(mel, path)).body.is_user_group_member).toBe(true);
});

test('4.2: who comes to know of a private channel by a group is told of it and of those in it', async () => {
  const server = await startWithGroup();
  const { mel, max, mia, gus } = server.people;
  await server.post(mel, '/user_groups/create', {
    name: 'outer',
    description: '',
    members: [],
    subgroups: [101],
  });
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'kitchen' }],
    invite_only: true,
    can_subscribe_group: 102,
  });
  const types = { event_types: ['stream', 'subscription'] };
  const queues = await Promise.all(
    [mia, max, gus, mel].map((person) => server.register(person, types)),
  );
  await server.post(mel, '/user_groups/101/members', { add: [mia.id, gus.id], delete: [max.id] });
  const [mias, maxs, guss, mels] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mias).toMatchObject([
    { type: 'stream', op: 'create', streams: [{ name: 'kitchen', subscriber_count: 0 }] },
    { type: 'subscription', op: 'peer_add', stream_ids: [1], user_ids: [mel.id] },
  ]);
  expect(maxs).toMatchObject([
    { type: 'stream', op: 'delete', stream_ids: [1], streams: [{ stream_id: 1 }] },
  ]);
  // A guest who is in the group is kept out all the same.
  expect(guss).toEqual([]);
  expect(mels).toEqual([]);
});

test('of a deactivated account no group and no setting tells', async () => {
  const server = await startWithGroup({
    can_mention_group: { direct_members: [4, 5], direct_subgroups: [] },
  });
  await deactivate(server, 5);
  const { state } = await server.register(server.people.mel);
  expect(state.realm_user_groups.at(-1)).toMatchObject({
    members: [],
    can_mention_group: { direct_members: [4], direct_subgroups: [] },
  });
  const refused = await server.post(server.people.mel, '/user_groups/101/members', { delete: [5] });
  expect(refused.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid user ID: 5' });
});

const deactivate = (server: TestServer, userId: number) =>
  server.perform((tx) => {
    const row = tx.users.get([userId]) ?? expect.fail('there is an account');
    tx.users.put([userId], { ...row, isActive: false });
  });
