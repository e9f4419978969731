import type { GroupSetting } from '../../storage/tables/channels.ts';
import * as errors from '../domain/errors.ts';
import {
  allowedSystemGroups,
  type ChannelPermissionName,
  type GroupPermissionName,
  type PermissionSetting,
  type RealmPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../domain/permission-settings.ts';
import { systemGroupId, systemGroupName } from '../domain/system-groups.ts';
import type { Reads } from './groups.ts';

const { realm, stream, group } = SERVER_SUPPORTED_PERMISSION_SETTINGS;

/** A value for a permission, as it is stored (reference/endpoints.md 1.11, "gsv semantics"). */
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

/** An anonymous group of existing people and groups; one that is the same as a named group becomes that. */
function simplified(tx: Reads, given: Exclude<GroupSetting, number>): GroupSetting {
  const members = ascending(given.direct_members);
  const subgroups = ascending(given.direct_subgroups);
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

/** A group that somebody made can be named while it is not deactivated. */
function refuseUnusable(tx: Reads, groupId: number) {
  const row = tx.groups.get([groupId]);
  if (row === undefined || row.isDeactivated) {
    throw errors.badRequest(`Invalid user group ID: ${groupId}`);
  }
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other);
