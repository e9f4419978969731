import { Role } from './roles.ts';

interface SystemGroup {
  readonly name: `role:${string}`;
  readonly description: string;
  readonly directSubgroupNames: readonly string[];
}

/**
 * The groups that every realm has (reference/endpoints.md 1.11). A group's id is its place in this
 * list, in every realm, and is stored in settings: add at the end, never reorder.
 */
export const SYSTEM_GROUPS = [
  {
    name: 'role:internet',
    description: 'Anyone on the Internet, with an account or without',
    directSubgroupNames: ['role:everyone'],
  },
  {
    name: 'role:everyone',
    description: 'Everyone in this organization, guests included',
    directSubgroupNames: ['role:members'],
  },
  {
    name: 'role:members',
    description: 'Everyone in this organization but guests',
    directSubgroupNames: ['role:fullmembers'],
  },
  {
    name: 'role:fullmembers',
    description: 'Members whose account is older than the waiting period',
    directSubgroupNames: ['role:moderators'],
  },
  {
    name: 'role:moderators',
    description: 'Moderators, administrators and owners of this organization',
    directSubgroupNames: ['role:administrators'],
  },
  {
    name: 'role:administrators',
    description: 'Administrators and owners of this organization',
    directSubgroupNames: ['role:owners'],
  },
  {
    name: 'role:owners',
    description: 'Owners of this organization',
    directSubgroupNames: [],
  },
  {
    name: 'role:nobody',
    description: 'Nobody',
    directSubgroupNames: [],
  },
] as const satisfies readonly SystemGroup[];

/**
 * Groups that users make are numbered from above this, which leaves room for more system groups.
 */
export const SYSTEM_GROUP_ID_MAX = 100;

export type SystemGroupName = (typeof SYSTEM_GROUPS)[number]['name'];

/** A named group, or the anonymous group of one setting ("gsv": reference/endpoints.md 1.11). */
export type GroupSettingValue =
  | number
  | { readonly direct_members: readonly number[]; readonly direct_subgroups: readonly number[] };

/** A user group as it is on the wire (reference/events-and-register.md 4.4). */
export interface Group {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly date_created: number | null;
  readonly creator_id: number | null;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
  readonly is_system_group: boolean;
  readonly deactivated: boolean;
  readonly can_add_members_group: GroupSettingValue;
  readonly can_join_group: GroupSettingValue;
  readonly can_leave_group: GroupSettingValue;
  readonly can_manage_group: GroupSettingValue;
  readonly can_mention_group: GroupSettingValue;
  readonly can_remove_members_group: GroupSettingValue;
}

export function systemGroupId(name: SystemGroupName): number {
  return SYSTEM_GROUPS.findIndex((group) => group.name === name) + 1;
}

/** Returns the name of a system group, or undefined for any other group. */
export function systemGroupName(groupId: number): SystemGroupName | undefined {
  return SYSTEM_GROUPS[groupId - 1]?.name;
}

/**
 * Returns the one system group that a user is a direct member of; the wider ones have it as a
 * subgroup.
 */
export function systemGroupOf(role: Role, isFullMember: boolean): number {
  switch (role) {
    case Role.owner:
      return systemGroupId('role:owners');
    case Role.administrator:
      return systemGroupId('role:administrators');
    case Role.moderator:
      return systemGroupId('role:moderators');
    case Role.member:
      return systemGroupId(isFullMember ? 'role:fullmembers' : 'role:members');
    case Role.guest:
      return systemGroupId('role:everyone');
  }
}

/**
 * Returns the system groups as clients see them; a group that is not given has no direct members.
 */
export function systemGroupObjects(
  membersByGroupId: ReadonlyMap<number, readonly number[]>,
): Group[] {
  return SYSTEM_GROUPS.map(({ name, description, directSubgroupNames }) => {
    const id = systemGroupId(name);
    return {
      id,
      name,
      description,
      date_created: null,
      creator_id: null,
      members: (membersByGroupId.get(id) ?? []).toSorted((a, b) => a - b),
      direct_subgroup_ids: directSubgroupNames.map(systemGroupId),
      is_system_group: true,
      deactivated: false,
      // "System groups have nobody for all" (reference/endpoints.md 1.11).
      can_add_members_group: NOBODY_ID,
      can_join_group: NOBODY_ID,
      can_leave_group: NOBODY_ID,
      can_manage_group: NOBODY_ID,
      can_mention_group: NOBODY_ID,
      can_remove_members_group: NOBODY_ID,
    };
  });
}

const NOBODY_ID = systemGroupId('role:nobody');

/**
 * Each group's own id and the ids of all groups nested in it: permission checks are too frequent to
 * walk the nesting.
 */
export const HELD_BY_SYSTEM_GROUP: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  SYSTEM_GROUPS.map(({ name }) => [systemGroupId(name), new Set(nestedGroupIds(name))]),
);

function nestedGroupIds(name: SystemGroupName): number[] {
  const id = systemGroupId(name);
  const subgroupNames: readonly SystemGroupName[] =
    SYSTEM_GROUPS[id - 1]?.directSubgroupNames ?? [];
  return [id, ...subgroupNames.flatMap(nestedGroupIds)];
}
