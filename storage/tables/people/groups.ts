import type { GroupPermissionName } from '../../../src/domain/wire/settings/permission-settings.ts';
import { table } from '../../table.ts';
import type { GroupSetting } from '../channels/channels.ts';

/**
 * A user group that somebody made. Groups that every realm has are in
 * `src/domain/wire/system-groups.ts`.
 */
export interface GroupRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
  readonly creatorId: number | null;
  readonly isDeactivated: boolean;
  readonly permissions: Readonly<Record<GroupPermissionName, GroupSetting>>;
}

export const groups = table<[groupId: number], GroupRow>(
  'groups',
  ['id', 'name', 'description', 'dateCreated', 'creatorId', 'isDeactivated', 'permissions'],
  {
    audited: [
      {
        kind: 'group',
        target: ([groupId]) => groupId,
        values: ({ name, description, isDeactivated, permissions }) => ({
          name,
          description,
          deactivated: isDeactivated,
          ...permissions,
        }),
      },
    ],
  },
);

/** Names compare without case, so the key is the folded name. Deactivated groups keep theirs. */
export const groupNames = table<[folded: string], { readonly groupId: number }>('group_names', [
  'groupId',
]);

/**
 * Direct members, deactivated accounts included. Group first: the members of a group are one range.
 */
export const groupMembers = table<[groupId: number, userId: number], object>('group_members', [], {
  feedsViews: true,
  audited: [
    { kind: 'group_member', target: ([groupId]) => groupId, member: ([, userId]) => userId },
  ],
});

/** The groups a user is directly in: the other side of `group_members`. */
export const userGroups = table<[userId: number, groupId: number], object>('user_groups', []);

/** Groups directly within a group, system groups as well. Never a circle. */
export const subgroups = table<[groupId: number, subgroupId: number], object>('subgroups', [], {
  feedsViews: true,
  audited: [{ kind: 'subgroup', target: ([groupId]) => groupId, member: ([, id]) => id }],
});

/** Groups that a group is directly within: the other side of `subgroups`. */
export const supergroups = table<[subgroupId: number, groupId: number], object>('supergroups', []);

/**
 * Channels and groups that have settings which name a group that somebody made, as the value or
 * within it. Group first: the uses of a group are one range. System groups are named everywhere and
 * never go, so they have no rows.
 */
export const groupUses = table<
  [groupId: number, owner: 'channel' | 'group', ownerId: number],
  object
>('group_uses', []);
