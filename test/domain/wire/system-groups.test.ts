import { describe, expect, test } from 'vitest';
import { Role } from '../../../src/domain/wire/roles.ts';
import {
  HELD_BY_SYSTEM_GROUP,
  SYSTEM_GROUPS,
  type SystemGroupName,
  systemGroupId,
  systemGroupName,
  systemGroupObjects,
  systemGroupOf,
} from '../../../src/domain/wire/system-groups.ts';

test('the ids are those that stored settings name', () => {
  const ids = SYSTEM_GROUPS.map(({ name }) => [name, systemGroupId(name)]);
  expect(ids).toEqual([
    ['role:internet', 1],
    ['role:everyone', 2],
    ['role:members', 3],
    ['role:fullmembers', 4],
    ['role:moderators', 5],
    ['role:administrators', 6],
    ['role:owners', 7],
    ['role:nobody', 8],
  ]);
});

test('an id leads back to its name, and any other id to none', () => {
  for (const { name } of SYSTEM_GROUPS) expect(systemGroupName(systemGroupId(name))).toBe(name);
  expect(systemGroupName(0)).toBeUndefined();
  expect(systemGroupName(9)).toBeUndefined();
});

interface Case {
  readonly who: string;
  readonly role: Role;
  readonly isFullMember: boolean;
  readonly groups: readonly SystemGroupName[];
}

const CASES: readonly Case[] = [
  {
    who: 'a guest',
    role: Role.guest,
    isFullMember: false,
    groups: ['role:everyone', 'role:internet'],
  },
  {
    who: 'a guest of long standing',
    role: Role.guest,
    isFullMember: true,
    groups: ['role:everyone', 'role:internet'],
  },
  {
    who: 'a new member',
    role: Role.member,
    isFullMember: false,
    groups: ['role:members', 'role:everyone', 'role:internet'],
  },
  {
    who: 'a full member',
    role: Role.member,
    isFullMember: true,
    groups: ['role:fullmembers', 'role:members', 'role:everyone', 'role:internet'],
  },
  {
    who: 'a moderator, however new',
    role: Role.moderator,
    isFullMember: false,
    groups: [
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
      'role:internet',
    ],
  },
  {
    who: 'an administrator',
    role: Role.administrator,
    isFullMember: true,
    groups: [
      'role:administrators',
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
      'role:internet',
    ],
  },
  {
    who: 'an owner',
    role: Role.owner,
    isFullMember: true,
    groups: [
      'role:owners',
      'role:administrators',
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
      'role:internet',
    ],
  },
];

describe.each(CASES)('$who', ({ role, isFullMember, groups }) => {
  test('is a direct member of the narrowest group alone', () => {
    expect(systemGroupName(systemGroupOf(role, isFullMember))).toBe(groups[0]);
  });

  test('is in that group and all that hold it, never in nobody', () => {
    const own = systemGroupOf(role, isFullMember);
    const held = SYSTEM_GROUPS.map(({ name }) => name).filter((name) =>
      HELD_BY_SYSTEM_GROUP.get(systemGroupId(name))?.has(own),
    );
    expect(held.toSorted()).toEqual(groups.toSorted());
  });
});

test('the group objects are nested by direct subgroups', () => {
  const nesting = systemGroupObjects(new Map()).map((group) => [
    group.name,
    group.direct_subgroup_ids,
  ]);
  expect(nesting).toEqual([
    ['role:internet', [2]],
    ['role:everyone', [3]],
    ['role:members', [4]],
    ['role:fullmembers', [5]],
    ['role:moderators', [6]],
    ['role:administrators', [7]],
    ['role:owners', []],
    ['role:nobody', []],
  ]);
});

test('a group object lists its direct members in ascending order', () => {
  const members = [30, 4, 11];
  const groups = systemGroupObjects(new Map([[systemGroupId('role:members'), members]]));

  expect(groups.filter((group) => group.members.length > 0)).toEqual([
    {
      id: 3,
      name: 'role:members',
      description: expect.any(String),
      date_created: null,
      creator_id: null,
      members: [4, 11, 30],
      direct_subgroup_ids: [4],
      is_system_group: true,
      deactivated: false,
      can_add_members_group: 8,
      can_join_group: 8,
      can_leave_group: 8,
      can_manage_group: 8,
      can_mention_group: 8,
      can_remove_members_group: 8,
    },
  ]);
  expect(members).toEqual([30, 4, 11]);
});
