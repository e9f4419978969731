import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import type { Message } from '../../../../web/app/store/feed/message.ts';
import { participantsOf } from '../../../../web/app/store/feed/participants.ts';
import { byName, columnRows } from '../../../../web/app/store/people/column.ts';
import {
  groupIn,
  groupsOf,
  joinGroup,
  leaveGroup,
  membersOf,
} from '../../../../web/app/store/people/groups.ts';
import {
  channelsInCommon,
  lastHere,
  mentionText,
  sizeOfOwnChannels,
} from '../../../../web/app/store/people/profile.ts';
import type { Person, Presence } from '../../../../web/app/store/shapes.ts';
import { openAccount, snapshot } from './snapshot.ts';

const person = (id: number, name: string, more: Partial<Person> = {}): Person => ({
  id,
  name,
  email: '',
  avatarUrl: null,
  isBot: false,
  isActive: true,
  isGuest: false,
  ...more,
});

const PEOPLE = byName([
  person(1, 'Zoe'),
  person(2, 'ada'),
  person(3, 'Max'),
  person(4, 'Bot', { isBot: true }),
  person(5, 'Leo', { isActive: false }),
]);

const PRESENCE: Readonly<Record<number, Presence>> = { 1: 'active', 3: 'idle' };

const lines = (within: ReadonlySet<number> | null, others: string | null = null) =>
  columnRows({
    people: PEOPLE,
    presenceOf: (id) => PRESENCE[id] ?? 'offline',
    within,
    title: 'Here',
    others,
  }).map((row) =>
    row.kind === 'heading' ? `${row.title} ${row.count} ${row.here}` : row.person.name,
  );

test('of the organization, people are shown by presence and by name, without bots', () => {
  expect(lines(null)).toEqual(['Here 3 2', 'Zoe', 'Max', 'ada']);
});

test('of a channel, those who are in it come first, with its bots, and the others apart', () => {
  expect(lines(new Set([2, 4, 5]), 'Not here')).toEqual([
    'Here 2 0',
    'ada',
    'Bot',
    'Not here 2 2',
    'Zoe',
    'Max',
  ]);
  expect(lines(new Set([1, 2, 3]), 'Not here')).toEqual(['Here 3 2', 'Zoe', 'Max', 'ada']);
});

test('of a conversation, only its people are shown', () => {
  expect(lines(new Set([2]))).toEqual(['Here 1 0', 'ada']);
});

test('who writes in a topic is told once, the last one first', () => {
  const from = (...ids: number[]) => ids.map((sender_id) => ({ sender_id }) as Message);
  expect(participantsOf(from(7, 8, 7, 9, 8))).toEqual([8, 9, 7]);
  expect(participantsOf([])).toEqual([]);
});

const groups = (more: object = {}) => ({
  realm_user_groups: [
    {
      id: 101,
      name: 'writers',
      description: 'Those who write',
      members: [2, 6],
      direct_subgroup_ids: [102],
      is_system_group: false,
      deactivated: false,
      can_join_group: 102,
      can_leave_group: 102,
      ...more,
    },
    {
      id: 102,
      name: 'artists',
      description: '',
      members: [4, 2],
      direct_subgroup_ids: [101],
      is_system_group: false,
      deactivated: false,
      can_join_group: { direct_members: [], direct_subgroups: [] },
      can_leave_group: { direct_members: [4], direct_subgroups: [] },
    },
    {
      id: 3,
      name: 'role:members',
      description: 'Members',
      members: [4],
      direct_subgroup_ids: [],
      is_system_group: true,
      deactivated: false,
      can_join_group: 102,
      can_leave_group: 102,
    },
  ],
});

test('a group has the active members of the groups within it, in any circle, by name', () => {
  const state = new State(snapshot(groups()));
  expect(membersOf(state, [101])).toEqual([2, 4]);
  expect(groupIn(state, 101)).toEqual({
    id: 101,
    name: 'writers',
    label: 'writers',
    description: 'Those who write',
    isSystem: false,
    memberIds: [2, 4],
    subgroups: [{ id: 102, label: 'artists' }],
    isOwn: true,
    mayJoin: true,
    mayLeave: false,
  });
  expect(groupIn(state, 102)).toMatchObject({ mayJoin: false, mayLeave: true });
  expect(groupIn(state, 3)).toMatchObject({
    label: 'All members',
    mayJoin: false,
    mayLeave: false,
  });
  expect(groupIn(state, 77)).toBeNull();
  expect(groupIn(new State(snapshot(groups({ deactivated: true }))), 101)).toBeNull();
});

test('the groups of a person are those that people made', () => {
  const state = new State(snapshot(groups()));
  expect(groupsOf(state, 4)).toEqual([{ id: 102, name: 'artists' }]);
  expect(groupsOf(state, 2).map(({ name }) => name)).toEqual(['artists', 'writers']);
});

test('one joins and leaves a group by oneself', async () => {
  const requests = openAccount(() => ({}), groups());
  await joinGroup(101);
  await leaveGroup(102);
  expect(requests.map(({ params }) => params)).toEqual([
    { user_group_id: 101, add: [4] },
    { user_group_id: 102, delete: [4] },
  ]);
});

test('a mention names the id where two people have one name', () => {
  const state = new State(snapshot());
  expect(mentionText(state, 2)).toBe('@**Ada Administrator**');
  const ada = state.users.get(2);
  if (ada !== undefined) state.users.set(99, { ...ada, user_id: 99 });
  expect(mentionText(state, 2)).toBe('@**Ada Administrator|2**');
  expect(mentionText(state, 77)).toBe('');
});

test('when somebody was here last is the later of both signs', () => {
  const presences = { 2: { active_timestamp: 10, idle_timestamp: 30 } };
  const state = new State(snapshot({ presences }));
  expect(lastHere(state, 2)).toBe(30_000);
  expect(lastHere(state, 1)).toBeNull();
});

test('channels in common are those in which both are', async () => {
  openAccount(() => ({
    subscriptions: [
      { stream_id: 1, name: 'general', subscribers: [2, 4] },
      { stream_id: 2, name: 'Design', subscribers: [4] },
      { stream_id: 3, name: 'chess', subscribers: [2, 4] },
    ],
  }));
  expect(await channelsInCommon(2)).toEqual([3, 1]);
  expect(sizeOfOwnChannels(new State(snapshot()))).toBe(2);
});
