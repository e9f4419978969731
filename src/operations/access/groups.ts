import type { ChannelRow, GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { GroupRow } from '../../../storage/tables/people/groups.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { SYSTEM_USER_ID_MIN } from '../../domain/rules/people/system-bots.ts';
import { isGuest, Role } from '../../domain/wire/roles.ts';
import {
  type ChannelPermissionName,
  type GroupPermissionName,
  type PermissionSetting,
  type RealmPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../domain/wire/settings/permission-settings.ts';
import {
  type RealmSettings,
  realmSettingsDefaults,
} from '../../domain/wire/settings/realm-settings.ts';
import {
  HELD_BY_SYSTEM_GROUP,
  systemGroupId,
  systemGroupName,
  systemGroupOf,
} from '../../domain/wire/system-groups.ts';

const DEFAULTS = realmSettingsDefaults();
const NOBODY = systemGroupId('role:nobody');
const MEMBERS = systemGroupId('role:members');
const isSystemGroup = (groupId: number) => systemGroupName(groupId) !== undefined;

/** The part of a transaction that reading needs; an operation may pass its own. */
export type Reads = Omit<RealmReader, 'head' | 'accountsVersion'>;

export function realmSettings(tx: Reads): RealmSettings {
  return { ...DEFAULTS, ...tx.realm.get(['realm'])?.settings };
}

/** Returns one setting of the realm without building all of them, because every send needs some. */
export function realmSetting<Name extends keyof RealmSettings>(tx: Reads, name: Name) {
  const stored = tx.realm.get(['realm'])?.settings[name];
  // A stored null is a value: no limit. Both values are of the setting of this name.
  return (stored === undefined ? DEFAULTS[name] : stored) as RealmSettings[Name];
}

/** Tests whether the user has a permission of the realm. */
export const may = (tx: Reads, user: UserRow, name: RealmPermissionName): boolean =>
  isGranted(tx, user, realmSetting(tx, name), SERVER_SUPPORTED_PERMISSION_SETTINGS.realm[name]);

/** Tests whether the user has a permission of a channel. */
export const mayInChannel = (
  tx: Reads,
  user: UserRow,
  { channel, name }: { channel: ChannelRow; name: ChannelPermissionName },
): boolean =>
  isGranted(
    tx,
    user,
    channel.groups[name] ?? NOBODY,
    SERVER_SUPPORTED_PERMISSION_SETTINGS.stream[name],
  );

/** Tests whether the user has a permission of a user group. */
export const mayInGroup = (
  tx: Reads,
  user: UserRow,
  { group, name }: { group: GroupRow; name: GroupPermissionName },
): boolean =>
  isGranted(tx, user, group.permissions[name], SERVER_SUPPORTED_PERMISSION_SETTINGS.group[name]);

/**
 * "Settings that disallow `role:everyone` also exclude guests who are members through other groups"
 * (1.11).
 */
const isGranted = (tx: Reads, user: UserRow, value: GroupSetting, setting: PermissionSetting) =>
  (setting.allow_everyone_group || !isGuest(user.role)) && isInGroup(tx, user, value);

/** Tests whether an active user is in the group of a setting, directly or through subgroups. */
function isInGroup(tx: Reads, user: UserRow, setting: GroupSetting): boolean {
  if (!user.isActive) return false;
  if (typeof setting === 'number') return isMember(tx, user, setting);
  return (
    setting.direct_members.includes(user.id) ||
    setting.direct_subgroups.some((groupId) => isMember(tx, user, groupId))
  );
}

/** Tests whether a user is in a group, directly or through its subgroups. */
export function isMember(tx: Reads, user: UserRow, groupId: number): boolean {
  if (isSystemGroup(groupId)) return isStanding(tx, user, groupId);
  if (tx.groupMembers.has([groupId, user.id])) return true;
  // The loop also visits ids that are added during it; a group that is nested in two ways is
  // visited once.
  const within = new Set([groupId]);
  for (const id of within) {
    for (const [, subgroupId] of tx.subgroups.keysUnder([id])) {
      if (within.has(subgroupId)) continue;
      within.add(subgroupId);
      if (isSystemGroup(subgroupId)) {
        if (isStanding(tx, user, subgroupId)) return true;
      } else if (tx.groupMembers.has([subgroupId, user.id])) return true;
    }
  }
  return false;
}

/**
 * Tests whether a user is in a system group. The age of an account matters only for members, and
 * only for one group.
 */
function isStanding(tx: Reads, user: UserRow, groupId: number): boolean {
  const held = HELD_BY_SYSTEM_GROUP.get(groupId);
  if (held === undefined) return false;
  const asFull = held.has(systemGroupOf(user.role, true));
  if (user.role !== Role.member) return asFull;
  return held.has(MEMBERS) || (asFull && held.has(standingGroup(tx, user)));
}

/** Returns the one system group that an account is directly in. */
export const standingGroup = (tx: Reads, { id, role, dateJoined }: UserRow): number =>
  systemGroupOf(role, !tx.waitingMembers.has([dateJoined, id]));

/** Does the same for many accounts. */
export function standingGroups(tx: Reads): (user: UserRow) => number {
  const waitingIds = new Set(Array.from(tx.waitingMembers.keys({}), ([, id]) => id));
  return ({ id, role }) => systemGroupOf(role, !waitingIds.has(id));
}

/**
 * Returns these groups and all within them, each once, without the fixed nesting of system groups.
 */
export const withSubgroups = (tx: Reads, groupIds: readonly number[]) =>
  reached(groupIds, (id) => tx.subgroups.keysUnder([id]));

/** Returns these groups and all that contain them, each once. */
export const withSupergroups = (tx: Reads, groupIds: readonly number[]) =>
  reached(groupIds, (id) => tx.supergroups.keysUnder([id]));

function reached(
  from: readonly number[],
  next: (id: number) => Iterable<readonly [number, number]>,
): ReadonlySet<number> {
  const all = new Set(from);
  // The loop also visits ids that are added during it.
  for (const id of all) {
    for (const [, nextId] of next(id)) all.add(nextId);
  }
  return all;
}

/**
 * Returns the active accounts in a group, directly or through subgroups, ascending. Roles have no
 * index, so all accounts are read for them.
 */
export function membersOf(tx: Reads, setting: GroupSetting): number[] {
  const members = new Set(typeof setting === 'number' ? [] : setting.direct_members);
  const held = new Set<number>();
  const named = typeof setting === 'number' ? [setting] : setting.direct_subgroups;
  for (const groupId of withSubgroups(tx, named)) {
    for (const id of HELD_BY_SYSTEM_GROUP.get(groupId) ?? []) held.add(id);
    if (isSystemGroup(groupId)) continue;
    for (const [, userId] of tx.groupMembers.keysUnder([groupId])) members.add(userId);
  }
  held.delete(NOBODY);
  if (held.size > 0) {
    const groupOf = standingGroups(tx);
    for (const user of accounts(tx)) {
      if (held.has(groupOf(user))) members.add(user.id);
    }
  }
  return [...members].filter((id) => tx.users.get([id])?.isActive).sort(ascending);
}

/** Yields the accounts of the organization, ascending by id, without the service's own. */
export function* accounts(tx: Reads): Iterable<UserRow> {
  for (const [, user] of tx.users.range({ end: [SYSTEM_USER_ID_MIN] })) yield user;
}
