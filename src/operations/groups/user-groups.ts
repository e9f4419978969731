import type { GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { GroupRow } from '../../../storage/tables/people/groups.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  GROUP_DESCRIPTION_LENGTH_MAX,
  GROUP_NAME_LENGTH_MAX,
  GROUPS_PER_REALM_MAX,
} from '../../domain/limits/groups.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../domain/wire/events/queue-options.ts';
import {
  type GroupPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../domain/wire/settings/permission-settings.ts';
import {
  type Group,
  SYSTEM_GROUP_ID_MAX,
  type SystemGroupName,
  systemGroupId,
  systemGroupName,
} from '../../domain/wire/system-groups.ts';
import type { Caller } from '../access/caller.ts';
import {
  acceptableForGroup,
  allShown,
  isSame,
  noteUses,
  refuseOutdated,
  type SettingChange,
} from '../access/group-settings.ts';
import { may, mayInGroup, type Reads } from '../access/groups.ts';
import { objectionsTo } from './objections.ts';

export interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly memberIds: readonly number[];
  readonly subgroupIds: readonly number[];
  readonly permissions: Readonly<Partial<Record<GroupPermissionName, GroupSetting>>>;
}

export interface GroupChange {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** False reactivates a deactivated group. */
  readonly isDeactivated: boolean | undefined;
  readonly permissions: Readonly<Partial<Record<GroupPermissionName, SettingChange>>>;
}

/** Adds a group of these people and groups (specification, "POST /user_groups/create"). */
export function create(tx: RealmTransaction, { user }: Caller, given: NewGroup): GroupRow {
  if (!may(tx, user, 'can_create_groups')) throw errors.badRequest('Insufficient permission');
  if (tx.lastId('group') >= GROUPS_PER_REALM_MAX) {
    throw errors.badRequest(`An organization has at most ${GROUPS_PER_REALM_MAX} user groups.`);
  }
  const name = acceptableName(tx, given.name);
  const description = acceptableDescription(given.description);
  const memberIds = new Set(given.memberIds);
  const subgroupIds = new Set(given.subgroupIds);
  for (const id of memberIds) activeUser(tx, id);
  for (const id of subgroupIds) usableGroup(tx, id);
  const row: GroupRow = {
    id: SYSTEM_GROUP_ID_MAX + tx.nextId('group'),
    name,
    description,
    dateCreated: Math.floor(tx.now / 1000),
    creatorId: user.id,
    isDeactivated: false,
    permissions: { ...defaultPermissions(user.id), ...acceptable(tx, given.permissions) },
  };
  tx.groups.put([row.id], row);
  tx.groupNames.put([name.toLowerCase()], { groupId: row.id });
  noteUses(tx, { kind: 'group', id: row.id }, { before: {}, after: row.permissions });
  for (const id of memberIds) {
    tx.groupMembers.put([row.id, id], {});
    tx.userGroups.put([id, row.id], {});
  }
  for (const id of subgroupIds) {
    tx.subgroups.put([row.id, id], {});
    tx.supergroups.put([id, row.id], {});
  }
  announce(tx, row, { type: 'user_group', op: 'add', group: groupObject(tx, row) });
  return row;
}

/** Changes the name, the description or the permissions of a group, or reactivates it. */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  groupId: number,
  request: GroupChange,
) {
  const row = editableGroup(tx, groupId);
  refuseUnmanaged(tx, caller.user, row);
  const { isDeactivated, permissions } = request;
  if (isDeactivated === true) {
    throw errors.badRequest('A user group is deactivated by POST /user_groups/{id}/deactivate');
  }
  const given = Object.fromEntries(
    Object.entries(permissions).filter(([, value]) => value !== undefined),
  ) as Partial<Record<GroupPermissionName, SettingChange>>; // the same names, fewer of them
  if (
    request.name === undefined &&
    request.description === undefined &&
    isDeactivated === undefined &&
    Object.keys(given).length === 0
  ) {
    throw errors.badRequest('No new data supplied');
  }
  if (isDeactivated === false && row.isDeactivated) reactivate(tx, row);
  const current = editableGroup(tx, groupId);
  const data = {
    ...(request.name === undefined ? {} : renamed(tx, current, request.name)),
    ...(request.description === undefined ? {} : described(current, request.description)),
    ...changedPermissions(tx, current, given),
  };
  if (Object.keys(data).length === 0) return;
  const { name = current.name, description = current.description, ...changed } = data;
  const changedRow: GroupRow = {
    ...current,
    name,
    description,
    permissions: { ...current.permissions, ...changed },
  };
  tx.groups.put([groupId], changedRow);
  const uses = { before: current.permissions, after: changedRow.permissions };
  noteUses(tx, { kind: 'group', id: groupId }, uses);
  announce(tx, changedRow, { type: 'user_group', op: 'update', group_id: groupId, data });
}

/** Deactivates a group; refuses while it is in use. */
export function deactivate(tx: RealmTransaction, { user }: Caller, groupId: number) {
  const row = editableGroup(tx, groupId);
  refuseUnmanaged(tx, user, row);
  if (row.isDeactivated) throw errors.badRequest('User group is already deactivated.');
  const objections = objectionsTo(tx, groupId);
  if (objections.length > 0) throw errors.groupInUse(objections);
  tx.groups.put([groupId], { ...row, isDeactivated: true });
  announceActivity(tx, { ...row, isDeactivated: true });
}

/** Returns a group as in events and snapshots (reference/events-and-register.md 4.4). */
function groupObject(tx: Reads, row: GroupRow): Group {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    date_created: row.dateCreated,
    creator_id: row.creatorId,
    members: Array.from(tx.groupMembers.keysUnder([row.id]), ([, userId]) => userId).filter(
      (id) => tx.users.get([id])?.isActive,
    ),
    direct_subgroup_ids: Array.from(tx.subgroups.keysUnder([row.id]), ([, groupId]) => groupId),
    is_system_group: false,
    deactivated: row.isDeactivated,
    ...allShown(tx, row.permissions),
  };
}

/**
 * Returns the groups that users made, ascending by id; deactivated ones only for clients that know
 * them.
 */
export function list(tx: Reads, capabilities: QueueOptions['capabilities']): Group[] {
  const listed: Group[] = [];
  for (const [, row] of tx.groups.range({})) {
    if (row.isDeactivated && !capabilities.include_deactivated_groups) continue;
    listed.push(groupObject(tx, row));
  }
  return listed;
}

/**
 * Announces an event of a group to all users; events of a deactivated one go only to clients that
 * know such groups.
 */
export function announce(tx: RealmTransaction, { isDeactivated }: GroupRow, event: EventBody) {
  tx.emit({
    event,
    audience: { everyone: true },
    ...(isDeactivated ? { queues: { has: 'include_deactivated_groups' } } : {}),
  });
}

/** Returns a group that can be changed, since a user made it. */
export function editableGroup(tx: Reads, groupId: number): GroupRow {
  if (systemGroupName(groupId) !== undefined) {
    throw errors.badRequest('Insufficient permission');
  }
  const row = tx.groups.get([groupId]);
  if (row === undefined) throw errors.invalidGroupId(groupId);
  return row;
}

/** Refuses a group that cannot be a subgroup: a missing or a deactivated one. */
export function usableGroup(tx: Reads, groupId: number) {
  if (systemGroupName(groupId) !== undefined) return;
  if (tx.groups.get([groupId])?.isDeactivated !== false) throw errors.invalidGroupId(groupId);
}

export function activeUser(tx: Reads, userId: number): UserRow {
  const user = tx.users.get([userId]);
  if (!user?.isActive || user.isSystem) throw errors.invalidUserId(userId);
  return user;
}

/**
 * Tests for permissions over the whole group: "`can_manage_group` and realm `can_manage_all_groups`
 * imply all" (reference/endpoints.md 1.11).
 */
export const manages = (tx: Reads, user: UserRow, group: GroupRow) =>
  may(tx, user, 'can_manage_all_groups') ||
  mayInGroup(tx, user, { group, name: 'can_manage_group' });

function refuseUnmanaged(tx: Reads, user: UserRow, group: GroupRow) {
  if (!manages(tx, user, group)) throw errors.badRequest('Insufficient permission');
}

function reactivate(tx: RealmTransaction, row: GroupRow) {
  tx.groups.put([row.id], { ...row, isDeactivated: false });
  announceActivity(tx, { ...row, isDeactivated: false });
}

/**
 * Announces a change to clients that know deactivated groups, and a removal or creation to the
 * others.
 */
function announceActivity(tx: RealmTransaction, row: GroupRow) {
  const { id, isDeactivated } = row;
  const audience = { everyone: true } as const;
  tx.emit({
    event: {
      type: 'user_group',
      op: 'update',
      group_id: id,
      data: { deactivated: isDeactivated },
    },
    audience,
    queues: { has: 'include_deactivated_groups' },
  });
  tx.emit({
    event: isDeactivated
      ? { type: 'user_group', op: 'remove', group_id: id }
      : { type: 'user_group', op: 'add', group: groupObject(tx, row) },
    audience,
    queues: { lacks: 'include_deactivated_groups' },
  });
}

function renamed(tx: RealmTransaction, row: GroupRow, given: string): { name?: string } {
  if (given.trim() === row.name) return {};
  const name = acceptableName(tx, given, row.id);
  tx.groupNames.remove([row.name.toLowerCase()]);
  tx.groupNames.put([name.toLowerCase()], { groupId: row.id });
  return { name };
}

function described(row: GroupRow, given: string): { description?: string } {
  const description = acceptableDescription(given);
  return description === row.description ? {} : { description };
}

function changedPermissions(
  tx: RealmTransaction,
  row: GroupRow,
  changes: GroupChange['permissions'],
): Partial<Record<GroupPermissionName, GroupSetting>> {
  const changed: Partial<Record<GroupPermissionName, GroupSetting>> = {};
  // The names are those of the type; `Object.entries` loses them.
  for (const [name, change] of Object.entries(changes) as [GroupPermissionName, SettingChange][]) {
    refuseOutdated(tx, row.permissions[name], change);
    const value = acceptableForGroup(tx, name, change.new);
    if (!isSame(value, row.permissions[name])) changed[name] = value;
  }
  return changed;
}

function acceptable(tx: Reads, given: NewGroup['permissions']): NewGroup['permissions'] {
  // The names are those of the type; `Object.entries` loses them.
  const entries = Object.entries(given) as [GroupPermissionName, GroupSetting][];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, acceptableForGroup(tx, name, value)]),
  );
}

/**
 * Beginnings of other kinds of mentions, which group names must not have (reference/endpoints.md
 * 1.11).
 */
const RESERVED_BEGINNINGS = ['@', 'role:', 'user:', 'stream:', 'channel:'];

function acceptableName(tx: Reads, given: string, ownId?: number): string {
  const name = given.trim();
  if (name === '') throw errors.badRequest("User group name can't be empty!");
  if ([...name].length > GROUP_NAME_LENGTH_MAX) {
    throw errors.badRequest(`User group name cannot exceed ${GROUP_NAME_LENGTH_MAX} characters.`);
  }
  const folded = name.toLowerCase();
  const reserved = RESERVED_BEGINNINGS.find((beginning) => folded.startsWith(beginning));
  if (reserved !== undefined) {
    throw errors.badRequest(`User group name cannot start with '${reserved}'.`);
  }
  if (unprintableIn(name)) throw errors.badRequest('Invalid character in user group name.');
  const known = tx.groupNames.get([folded]);
  if (known !== undefined && known.groupId !== ownId) {
    throw errors.badRequest(`User group '${name}' already exists.`);
  }
  return name;
}

function acceptableDescription(description: string): string {
  if ([...description].length > GROUP_DESCRIPTION_LENGTH_MAX) {
    throw errors.badRequest(
      `description is too long (limit: ${GROUP_DESCRIPTION_LENGTH_MAX} characters)`,
    );
  }
  if (/[\0\p{Cs}]/u.test(description)) {
    throw errors.badRequest('Invalid character in description.');
  }
  return description;
}

/** Returns the default permissions of a new group (reference/endpoints.md 1.11). */
function defaultPermissions(creatorId: number): Record<GroupPermissionName, GroupSetting> {
  const permissions = Object.entries(SERVER_SUPPORTED_PERMISSION_SETTINGS.group).map(
    ([name, { default_group_name: group }]) => [
      name,
      group === 'group_creator'
        ? { direct_members: [creatorId], direct_subgroups: [] }
        : systemGroupId(group as SystemGroupName), // the other creator name is for channels
    ],
  );
  // It is built from the table whose keys are the permission names.
  return Object.fromEntries(permissions) as Record<GroupPermissionName, GroupSetting>;
}
