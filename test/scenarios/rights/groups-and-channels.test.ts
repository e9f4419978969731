import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { type Act, acts } from '../../support/acts/acts.ts';
import { type KeptState, keepState } from '../../support/applying/kept-state.ts';
import { comparable } from '../../support/applying/snapshot.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { NAMES, type Person } from '../../support/users.ts';

/**
 * Groups within groups decide who may know of a private channel and what each user may do.
 * Everybody registers, the groups change at random, and each must arrive at what a fresh register
 * gives.
 */

const GROUPS = [101, 102, 103, 104] as const;

const CAPABILITIES = {
  notification_settings_null: true,
  user_settings_object: true,
  user_list_incomplete: true,
  empty_topic_name: true,
};
const MODERN = { ...CAPABILITIES, include_deactivated_groups: true, archived_channels: true };
const everything = (client_capabilities: object) => ({
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities,
});

const who = fc.constantFrom(...NAMES);
const userId = fc.integer({ min: 1, max: 7 });
const group = fc.constantFrom(...GROUPS);
const nestable = fc.oneof(
  group,
  fc.constantFrom(
    ...(['role:members', 'role:moderators', 'role:everyone'] as const).map(systemGroupId),
  ),
);
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.uniqueArray(arbitrary, { maxLength: 2 });
const setting = fc.oneof(
  nestable,
  fc.record({ direct_members: few(userId), direct_subgroups: few(nestable) }),
);

const members = acts(
  'members',
  {
    by: who,
    group,
    add: few(userId),
    delete: few(userId),
    add_subgroups: few(nestable),
    delete_subgroups: few(nestable),
  },
  (server, { by, group: id, ...change }) =>
    server.post(server.people[by], `/user_groups/${id}/members`, change),
);

const member = acts(
  'one member',
  { group, user: userId, op: fc.constantFrom('add', 'delete') },
  (server, { group: id, user, op }) =>
    server.post(server.people.ona, `/user_groups/${id}/members`, { [op]: [user] }),
);

const subgroup = acts(
  'one subgroup',
  { group, inner: nestable, op: fc.constantFrom('add', 'delete') },
  (server, { group: id, inner, op }) =>
    server.post(server.people.ona, `/user_groups/${id}/subgroups`, { [op]: [inner] }),
);

const activity = acts('activity', { group, isActive: fc.boolean() }, (server, given) =>
  given.isActive
    ? server.patch(server.people.ona, `/user_groups/${given.group}`, { deactivated: false })
    : server.post(server.people.ona, `/user_groups/${given.group}/deactivate`),
);

const permission = acts(
  'permission',
  { group, name: fc.constantFrom('can_manage_group', 'can_mention_group'), setting },
  (server, { group: id, name, setting: value }) =>
    server.patch(server.people.ona, `/user_groups/${id}`, { [name]: { new: value } }),
);

const rename = acts('rename', { group, name: fc.constantFrom('x', 'X', 'y') }, (server, given) =>
  server.patch(server.people.ona, `/user_groups/${given.group}`, { name: given.name }),
);

const channel = acts(
  'channel',
  {
    by: who,
    number: fc.integer({ min: 1, max: 4 }),
    can_administer_channel_group: setting,
    can_subscribe_group: setting,
    can_add_subscribers_group: setting,
  },
  (server, { by, number, ...creation }) =>
    server.post(server.people[by], '/users/me/subscriptions', {
      subscriptions: [{ name: `channel ${number}` }],
      invite_only: true,
      ...creation,
    }),
);

const leave = acts('leave', { by: who, number: fc.integer({ min: 1, max: 4 }) }, (server, given) =>
  server.delete(server.people[given.by], '/users/me/subscriptions', {
    subscriptions: [`channel ${given.number}`],
  }),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: members },
  { weight: 6, arbitrary: member },
  { weight: 6, arbitrary: subgroup },
  { weight: 2, arbitrary: activity },
  { weight: 1, arbitrary: permission },
  { weight: 1, arbitrary: rename },
  { weight: 5, arbitrary: channel },
  { weight: 3, arbitrary: leave },
);

test('4: snapshots stay exact for everybody, however groups within groups change', async () => {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 15 }),
      fc.array(act, { minLength: 20, maxLength: 40 }),
      async (before, after) => {
        const server = await startServer({ channels: ['general'] });
        for (const id of GROUPS) await makeGroup(server, id);
        await makeChannel(server, { name: 'channel 1', can_subscribe_group: GROUPS[0] });
        await makeChannel(server, { name: 'channel 2', can_administer_channel_group: GROUPS[1] });
        await makeChannel(server, {
          name: 'channel 3',
          can_add_subscribers_group: { direct_members: [5], direct_subgroups: [GROUPS[2]] },
        });
        await server.set('can_create_private_channel_group', GROUPS[0]);
        await server.set('can_manage_all_groups', GROUPS[1]);
        for (const next of before) await next(server);
        const followed = await Promise.all(
          NAMES.flatMap((name) =>
            [CAPABILITIES, MODERN].map((capabilities) =>
              follow(server, server.people[name], everything(capabilities)),
            ),
          ),
        );
        for (const next of after) {
          const { status } = await next(server);
          expect([200, 400]).toContain(status);
          if (status === 200) allowed += 1;
        }
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: 4, endOnFailure: true },
  );
  expect(allowed).toBeGreaterThan(10);
});

async function makeGroup(server: TestServer, id: number) {
  const { ona, mel } = server.people;
  const made = await server.post(ona, '/user_groups/create', {
    name: `group ${id}`,
    description: '',
    members: id === GROUPS[0] ? [ona.id, mel.id] : [],
  });
  expect(made.body.group_id).toBe(id);
}

async function makeChannel(server: TestServer, { name, ...groups }: { name: string } & Params) {
  const made = await server.post(server.people.ona, '/users/me/subscriptions', {
    subscriptions: [{ name }],
    invite_only: true,
    ...groups,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
}

interface Followed {
  readonly queue: TestQueue;
  readonly state: KeptState;
  readonly form: object;
}

async function follow(server: TestServer, as: Person, form: object): Promise<Followed> {
  const queue = await server.register(as, { ...form });
  return { queue, state: keepState(queue.state), form };
}

async function expectExact(server: TestServer, { queue, state, form }: Followed) {
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) state.apply(event);
  }
  const fresh = await server.register(queue.as, { ...form });
  const whose = `as ${queue.as.fullName} sees it, ${JSON.stringify(form)}`;
  expect(comparable(state.snapshot()), whose).toEqual(comparable(fresh.state));
}
