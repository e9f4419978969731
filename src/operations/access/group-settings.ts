import type { GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import * as errors from '../../domain/wire/errors.ts';
import {
  allowedSystemGroups,
  type ChannelPermissionName,
  type GroupPermissionName,
  type PermissionSetting,
  type RealmPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../domain/wire/settings/permission-settings.ts';
import { systemGroupId, systemGroupName } from '../../domain/wire/system-groups.ts';
import type { Reads } from './groups.ts';

const { realm, stream, group } = SERVER_SUPPORTED_PERMISSION_SETTINGS;

/**
 * Returns a value for a permission as it is stored (reference/endpoints.md 1.11, "gsv semantics").
 */
export const acceptableForChannel = (tx: Reads, name: ChannelPermissionName, given: GroupSetting) =>
  acceptable(tx, { name, setting: stream[name], given });
export const acceptableForGroup = (tx: Reads, name: GroupPermissionName, given: GroupSetting) =>
  acceptable(tx, { name, setting: group[name], given });
export const acceptableForRealm = (tx: Reads, name: RealmPermissionName, given: GroupSetting) =>
  acceptable(tx, { name, setting: realm[name], given });

interface Given {
  readonly name: string;
  readonly setting: PermissionSetting;
  readonly given: GroupSetting;
}

function acceptable(tx: Reads, { name, setting, given }: Given): GroupSetting {
  const value = typeof given === 'number' ? given : simplified(tx, given);
  if (typeof value !== 'number') {
    if (setting.require_system_group) throw errors.systemGroupRequired(name);
    return value;
  }
  const systemGroup = systemGroupName(value);
  if (systemGroup === undefined) {
    refuseUnusable(tx, value);
    if (setting.require_system_group) throw errors.systemGroupRequired(name);
    return value;
  }
  if (!allowedSystemGroups(setting).includes(systemGroup)) {
    throw errors.badRequest(`'${name}' setting cannot be set to '${systemGroup}' group.`);
  }
  return value;
}

/**
 * Returns an anonymous group of existing people and groups; one that equals a named group becomes
 * that group.
 */
function simplified(tx: Reads, given: Exclude<GroupSetting, number>): GroupSetting {
  const members = inOrder(given.direct_members);
  const subgroups = inOrder(given.direct_subgroups);
  for (const id of subgroups) {
    if (systemGroupName(id) === undefined) refuseUnusable(tx, id);
  }
  for (const id of members) {
    const user = tx.users.get([id]);
    if (!user?.isActive || user.isSystem) throw errors.invalidUserId(id);
  }
  const [only, ...others] = subgroups;
  if (members.length > 0 || others.length > 0) {
    return { direct_members: members, direct_subgroups: subgroups };
  }
  return only ?? systemGroupId('role:nobody');
}

/** Refuses a missing or deactivated group. */
function refuseUnusable(tx: Reads, groupId: number) {
  const row = tx.groups.get([groupId]);
  if (row === undefined || row.isDeactivated) throw errors.invalidGroupId(groupId);
}

/**
 * Returns a value as clients see it: "Deactivated users are not included in `direct_members`"
 * (specification).
 */
export function shown(tx: Reads, value: GroupSetting): GroupSetting {
  if (typeof value === 'number') return value;
  const { direct_members, direct_subgroups } = value;
  const active = direct_members.filter((id) => tx.users.get([id])?.isActive);
  return active.length === direct_members.length
    ? value
    : { direct_members: active, direct_subgroups };
}

/** Does the same for every permission of a channel or group. */
export function allShown<Name extends string>(
  tx: Reads,
  settings: Readonly<Record<Name, GroupSetting>>,
): Readonly<Record<Name, GroupSetting>> {
  const unnamed = Object.entries<GroupSetting>(settings).filter(
    ([, value]) => typeof value !== 'number',
  );
  return {
    ...settings,
    ...Object.fromEntries(unnamed.map(([key, value]) => [key, shown(tx, value)])),
  };
}

/**
 * A change of a permission. If `old` is given, it is the value that the client expects to be
 * stored.
 */
export interface SettingChange {
  readonly new: GroupSetting;
  readonly old?: GroupSetting | undefined;
}

/** Refuses a change if the client expects another value than the stored one. */
export function refuseOutdated(tx: Reads, stored: GroupSetting, { old }: SettingChange) {
  if (old !== undefined && !isSame(plain(old), plain(shown(tx, stored)))) {
    throw errors.expectationMismatch();
  }
}

export const isSame = (one: GroupSetting, other: GroupSetting) =>
  JSON.stringify(one) === JSON.stringify(other);

/** Normalizes a value: lists ascending, and one subgroup without members as that group. */
function plain(value: GroupSetting): GroupSetting {
  if (typeof value === 'number') return value;
  const direct_members = inOrder(value.direct_members);
  const direct_subgroups = inOrder(value.direct_subgroups);
  const [only, ...others] = direct_subgroups;
  if (direct_members.length > 0 || others.length > 0) return { direct_members, direct_subgroups };
  return only ?? systemGroupId('role:nobody');
}

type Settings = Readonly<Record<string, GroupSetting>>;

/** Updates the index of the uses of groups when the settings of a channel or group change. */
export function noteUses(
  tx: RealmTransaction,
  owner: { readonly kind: 'channel' | 'group'; readonly id: number },
  { before, after }: { readonly before: Settings; readonly after: Settings },
) {
  const was = customGroupsIn(before);
  const is = customGroupsIn(after);
  for (const id of was) if (!is.has(id)) tx.groupUses.remove([id, owner.kind, owner.id]);
  for (const id of is) if (!was.has(id)) tx.groupUses.put([id, owner.kind, owner.id], {});
}

/** Returns the names of the settings whose value is the group or includes it. */
export const settingsNaming = (settings: Settings, groupId: number): string[] =>
  Object.entries(settings)
    .filter(([, value]) => groupsIn(value).includes(groupId))
    .map(([name]) => name)
    .sort();

const groupsIn = (value: GroupSetting) =>
  typeof value === 'number' ? [value] : value.direct_subgroups;

const customGroupsIn = (settings: Settings): ReadonlySet<number> =>
  new Set(
    Object.values(settings)
      .flatMap(groupsIn)
      .filter((id) => systemGroupName(id) === undefined),
  );
