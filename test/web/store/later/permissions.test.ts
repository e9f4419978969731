import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  bringersBack,
  groupLabel,
  holdersText,
  mayAddOthers,
  mayJoin,
  mayRead,
  mayRemoveOthers,
  optionsFor,
  partsOf,
} from '../../../../web/app/store/channels/permissions.ts';
import { snapshot } from './snapshot.ts';

const channel = (stream_id: number, more: object) => ({
  stream_id,
  name: `channel ${stream_id}`,
  description: '',
  is_archived: false,
  is_web_public: false,
  invite_only: false,
  subscriber_count: 1,
  can_administer_channel_group: 30,
  ...more,
});

/** Mel is in group 20, by groups within it, and not in group 30. */
const state = (channels: object[], more: object = {}) =>
  new State(snapshot({ subscriptions: [], never_subscribed: channels, ...more }));

test('an open channel is joined by members, a private one by those whom it names', () => {
  const known = state([
    channel(1, {}),
    channel(2, { invite_only: true, can_subscribe_group: 30, can_add_subscribers_group: 30 }),
    channel(3, { invite_only: true, can_subscribe_group: 20, can_add_subscribers_group: 30 }),
    channel(4, { invite_only: true, can_subscribe_group: 30, can_add_subscribers_group: 20 }),
    channel(5, { is_web_public: true }),
  ]);
  expect([1, 2, 3, 4, 5, 6].map((id) => mayJoin(known, id))).toEqual([
    true,
    false,
    true,
    true,
    true,
    false,
  ]);
});

test('a guest joins what is open on the web, and reads what they are in', () => {
  const known = state([channel(1, {}), channel(5, { is_web_public: true })], {
    is_guest: true,
    subscriptions: [channel(6, { invite_only: true, color: '#fff' })],
  });
  expect([1, 5, 6].map((id) => mayJoin(known, id))).toEqual([false, true, false]);
  expect([1, 5, 6].map((id) => mayRead(known, id))).toEqual([false, true, true]);
});

test('others are added by those who may anywhere, in the channel, or as administrators', () => {
  const closed = channel(1, { can_add_subscribers_group: 30, can_remove_subscribers_group: 30 });
  expect(mayAddOthers(state([closed]), 1)).toBe(false);
  expect(mayAddOthers(state([closed], { realm_can_add_subscribers_group: 20 }), 1)).toBe(true);
  expect(mayAddOthers(state([{ ...closed, can_add_subscribers_group: 20 }]), 1)).toBe(true);
  expect(mayAddOthers(state([closed], { is_admin: true }), 1)).toBe(true);
  expect(mayRemoveOthers(state([closed], { realm_can_add_subscribers_group: 20 }), 1)).toBe(false);
  expect(mayRemoveOthers(state([{ ...closed, can_remove_subscribers_group: 20 }]), 1)).toBe(true);
  expect(mayRemoveOthers(state([{ ...closed, can_administer_channel_group: 20 }]), 1)).toBe(true);
});

const role = (id: number, name: string) => ({
  id,
  name,
  members: [],
  direct_subgroup_ids: [],
  is_system_group: true,
  deactivated: false,
});

const withRoles = () =>
  state([], {
    realm_user_groups: [
      role(1, 'role:internet'),
      role(2, 'role:everyone'),
      role(3, 'role:members'),
      role(8, 'role:nobody'),
      { ...role(101, 'writers'), is_system_group: false },
      { ...role(102, 'artists'), is_system_group: false },
      { ...role(103, 'gone'), is_system_group: false, deactivated: true },
    ],
    server_supported_permission_settings: {
      realm: {},
      group: {},
      stream: {
        can_subscribe_group: {
          allow_internet_group: false,
          allow_nobody_group: true,
          allow_everyone_group: false,
          allowed_system_groups: [],
        },
      },
    },
  });

test('a setting offers the groups that the server allows, those of roles first', () => {
  expect(optionsFor(withRoles(), 'can_subscribe_group')).toEqual([
    { id: 3, label: 'All members' },
    { id: 8, label: 'Nobody' },
    { id: 102, label: 'artists' },
    { id: 101, label: 'writers' },
  ]);
});

test('who has a permission is said in words', () => {
  const nameOf = (id: number) => `person ${id}`;
  const text = (holders: Parameters<typeof holdersText>[1]) =>
    holdersText(withRoles(), holders, nameOf);
  expect(text(undefined)).toBe('Nobody');
  expect(text(3)).toBe('All members');
  expect(text({ direct_members: [4], direct_subgroups: [101] })).toBe('writers, person 4');
  expect(text({ direct_members: [], direct_subgroups: [] })).toBe('Nobody');
  expect(text(999)).toBe('An unknown group');
  expect(groupLabel('constructor')).toBe('constructor');
});

test('those who bring a channel back are named, and administrators once', () => {
  const nameOf = (id: number) => `Person ${id}`;
  const roles = [
    role(6, 'role:administrators'),
    role(8, 'role:nobody'),
    role(9, 'role:moderators'),
  ];
  const by = (holders: unknown) =>
    bringersBack(
      state([channel(1, { can_administer_channel_group: holders })], { realm_user_groups: roles }),
      1,
      nameOf,
    );
  expect(by(6)).toBe('Administrators');
  expect(by(8)).toBe('Administrators');
  expect(by(9)).toBe('Moderators and administrators');
  expect(by({ direct_members: [4], direct_subgroups: [9, 6] })).toBe(
    'Person 4, Moderators and administrators',
  );
  expect(by({ direct_members: [1, 2, 3, 4], direct_subgroups: [] })).toBe(
    'Person 1, Person 2, others and administrators',
  );
});

test('people and groups of a setting are told apart, to be changed', () => {
  expect(partsOf(3)).toEqual({ userIds: [], groupIds: [3] });
  expect(partsOf(undefined)).toEqual({ userIds: [], groupIds: [] });
  expect(partsOf({ direct_members: [4], direct_subgroups: [101] })).toEqual({
    userIds: [4],
    groupIds: [101],
  });
});
