import { expect, test } from 'vitest';
import { FULL_MEMBERS_PER_STEP } from '../../../src/domain/limits/groups.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import * as users from '../../../src/operations/users/users.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const DAY_MS = 86_400_000;
const MEMBERS = systemGroupId('role:members');
const FULL_MEMBERS = systemGroupId('role:fullmembers');

const makesGroups = async (server: TestServer, as: Person) => {
  const name = `cooks ${Math.floor(server.clock.now() / 1000)}`;
  const { status } = await server.post(as, '/user_groups/create', {
    name,
    description: '',
    members: [],
  });
  return status === 200;
};

/**
 * Sets the waiting period, and the times at which everybody joined so that this much of it is left
 * today.
 */
async function waiting(server: TestServer, { days, leftMs }: { days: number; leftMs: number }) {
  await server.perform((tx) => {
    for (const [[id], user] of [...tx.users.range({ end: [100] })]) {
      tx.users.put([id], { ...user, dateJoined: (tx.now + leftMs - days * DAY_MS) / 1000 });
    }
  });
  await server.set('waiting_period_threshold', days);
}

const MINUTE_MS = 60_000;

const membersOf = async (server: TestServer, groupId: number, as = server.people.ona) => {
  const { body } = await server.post(as, '/register', { fetch_event_types: ['realm_user_groups'] });
  return body.realm_user_groups.find(({ id }: { id: number }) => id === groupId).members;
};

const joins = (server: TestServer, name: string) =>
  server.perform((tx, site) =>
    users.create(tx, { email: `${name}@example.com`, fullName: name, role: 400 }, site),
  );

test('a member becomes a full member at the moment that the waiting period ends, and everyone is told', async () => {
  const server = await startServer();
  const { mel, max, bot, gus } = server.people;
  await server.set('can_create_groups', FULL_MEMBERS);
  await waiting(server, { days: 3, leftMs: MINUTE_MS });
  const queue = await server.register(gus, { event_types: ['user_group'] });
  await server.advance(MINUTE_MS - 1);
  expect(await membersOf(server, MEMBERS)).toEqual([mel.id, max.id, bot.id]);
  expect(await makesGroups(server, mel)).toBe(false);
  expect(await queue.now()).toEqual([]);
  await server.advance(1);
  const user_ids = [mel.id, max.id, bot.id];
  expect((await queue.now()).map(({ id, ...event }) => event)).toEqual([
    { type: 'user_group', op: 'add_members', group_id: FULL_MEMBERS, user_ids },
    { type: 'user_group', op: 'remove_members', group_id: MEMBERS, user_ids },
  ]);
  expect(await membersOf(server, FULL_MEMBERS)).toEqual(user_ids);
  expect(await membersOf(server, MEMBERS)).toEqual([]);
  expect(await makesGroups(server, mel)).toBe(true);
});

/**
 * Makes one channel that full members know of, one that they know of by a group within which they
 * are, and one that they do not know of.
 */
async function withPrivateChannels() {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  await server.set('can_create_public_channel_group', FULL_MEMBERS);
  await server.post(ona, '/user_groups/create', {
    name: 'cooks',
    description: '',
    members: [],
    subgroups: [FULL_MEMBERS],
  });
  for (const [name, can_subscribe_group] of [
    ['full', FULL_MEMBERS],
    ['cooks', 101],
    ['closed', systemGroupId('role:nobody')],
  ] as const) {
    await server.post(ona, '/users/me/subscriptions', {
      subscriptions: [{ name }],
      invite_only: true,
      can_subscribe_group,
    });
  }
  return server;
}

const channelsKnownTo = async (server: TestServer, as: Person) => {
  const { body } = await server.post(as, '/register', { fetch_event_types: ['subscription'] });
  return body.never_subscribed.map(({ name }: { name: string }) => name).sort();
};

test('4: a waiting period that changes gives what a fresh register gives', async () => {
  const server = await withPrivateChannels();
  const { mel } = server.people;
  expect(await channelsKnownTo(server, mel)).toEqual(['cooks', 'full']);
  await expectExactAfter(server, () => server.set('waiting_period_threshold', 6));
  expect(await channelsKnownTo(server, mel)).toEqual([]);
  expect(await membersOf(server, MEMBERS)).toHaveLength(3);
  await expectExactAfter(server, () => server.set('waiting_period_threshold', 0));
  expect(await membersOf(server, MEMBERS)).toEqual([]);
});

test('4: a waiting period that ends gives what a fresh register gives', async () => {
  const server = await withPrivateChannels();
  const { mel } = server.people;
  await waiting(server, { days: 5, leftMs: MINUTE_MS });
  await expectExactAfter(server, async () => void (await joins(server, 'zoe')));
  expect(await channelsKnownTo(server, mel)).toEqual([]);
  await expectExactAfter(server, () => server.advance(MINUTE_MS));
  expect(await channelsKnownTo(server, mel)).toEqual(['cooks', 'full']);
  expect(await membersOf(server, MEMBERS)).toEqual([8]);
});

test('a period that became shorter or longer is waited for to its new end', async () => {
  const server = await startServer();
  await waiting(server, { days: 10, leftMs: 7 * DAY_MS + MINUTE_MS });
  await server.set('waiting_period_threshold', 3);
  expect(await membersOf(server, FULL_MEMBERS)).toEqual([]);
  await server.advance(MINUTE_MS);
  expect(await membersOf(server, FULL_MEMBERS)).toHaveLength(3);
  await waiting(server, { days: 4, leftMs: MINUTE_MS });
  expect(await membersOf(server, FULL_MEMBERS)).toEqual([]);
  await server.advance(MINUTE_MS - 1);
  expect(await membersOf(server, FULL_MEMBERS)).toEqual([]);
  await server.advance(1);
  expect(await membersOf(server, FULL_MEMBERS)).toHaveLength(3);
});

test('whose time came while the server was down is a full member once it is up', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await waiting(server, { days: 1, leftMs: MINUTE_MS });
  const queue = await server.register(mel, { event_types: ['user_group'] });
  await server.restart(MINUTE_MS);
  await server.advance(1);
  expect((await queue.now()).map(({ op, group_id }) => [op, group_id])).toEqual([
    ['add_members', FULL_MEMBERS],
    ['remove_members', MEMBERS],
  ]);
  expect(await membersOf(server, FULL_MEMBERS)).toHaveLength(3);
});

test('who is more or less than a member, or has left, is told of nowhere', async () => {
  const server = await startServer();
  const { mel, max, bot, gus } = server.people;
  await waiting(server, { days: 1, leftMs: MINUTE_MS });
  await server.perform((tx) => {
    for (const [person, change] of [
      [mel, { isActive: false }],
      [max, { role: 300 }],
    ] as const) {
      const row = tx.users.get([person.id]) ?? expect.fail('they are there');
      tx.users.put([person.id], { ...row, ...change });
    }
  });
  const queue = await server.register(gus, { event_types: ['user_group'] });
  await server.advance(MINUTE_MS);
  expect((await queue.now()).map(({ user_ids }) => user_ids)).toEqual([[bot.id], [bot.id]]);
});

test('so many become full members in one operation, and the others in the next', async () => {
  const server = await startServer();
  await waiting(server, { days: 1, leftMs: MINUTE_MS });
  const queue = await server.register(server.people.ona, { event_types: ['user_group'] });
  await server.perform((tx) => {
    const row = tx.users.get([server.people.mel.id]) ?? expect.fail('mel is there');
    for (let id = 10; id < 10 + FULL_MEMBERS_PER_STEP - 1; id += 1) {
      tx.users.put([id], { ...row, id, email: `user${id}@example.com` });
      tx.waitingMembers.put([row.dateJoined, id], {});
    }
  });
  await server.advance(MINUTE_MS);
  // The second step is due when the first is done, which takes its time.
  const left = async () => {
    await server.advance(1);
    return await membersOf(server, MEMBERS);
  };
  await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  const added = (await queue.now()).filter(({ op }) => op === 'add_members');
  // Four of the seven people of the realm have other roles; the step counts them, the event does
  // not.
  const first = FULL_MEMBERS_PER_STEP - 4;
  expect(added.map(({ user_ids }) => user_ids.length)).toEqual([first, 6]);
});

test('a bug in what they come to know of holds nobody up', async () => {
  const server = await startServer({ channels: ['general'] });
  await waiting(server, { days: 1, leftMs: MINUTE_MS });
  await server.perform((tx) => {
    const row = tx.channels.get([1]) ?? expect.fail('the channel is there');
    // No operation writes such a row.
    tx.channels.put([1], { ...row, isPrivate: true, groups: null as never });
  });
  await server.advance(MINUTE_MS);
  await server.advance(1);
  expect(await membersOf(server, FULL_MEMBERS)).toHaveLength(3);
  expect(server.bugs).toHaveLength(1);
});
