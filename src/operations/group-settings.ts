import type { GroupSetting } from '../../storage/tables/channels.ts';
import * as errors from '../domain/errors.ts';
import {
  allowedSystemGroups,
  type ChannelPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../domain/permission-settings.ts';
import { systemGroupId, systemGroupName } from '../domain/system-groups.ts';
import type { Reads } from './groups.ts';

/** A value for a permission of a channel, as it is stored (reference/endpoints.md 1.11, "gsv semantics"). */
export function acceptableForChannel(
  tx: Reads,
  name: ChannelPermissionName,
  given: GroupSetting,
): GroupSetting {
  const value = typeof given === 'number' ? given : simplified(tx, given);
  if (typeof value !== 'number') return value;
  const group = systemGroupName(value);
  if (group === undefined) throw errors.badRequest(`Invalid user group ID: ${value}`);
  if (!allowedSystemGroups(SERVER_SUPPORTED_PERMISSION_SETTINGS.stream[name]).includes(group)) {
    throw errors.badRequest(`'${name}' setting cannot be set to '${group}' group.`);
  }
  return value;
}

/** An anonymous group of existing people and groups; one that is the same as a named group becomes that. */
function simplified(tx: Reads, given: Exclude<GroupSetting, number>): GroupSetting {
  const members = ascending(given.direct_members);
  const subgroups = ascending(given.direct_subgroups);
  for (const id of subgroups) {
    if (systemGroupName(id) === undefined) {
      throw errors.badRequest(`Invalid user group ID: ${id}`);
    }
  }
  for (const id of members) {
    if (!tx.users.get([id])?.isActive) throw errors.invalidUserId(id);
  }
  const [only, ...others] = subgroups;
  if (members.length > 0 || others.length > 0) {
    return { direct_members: members, direct_subgroups: subgroups };
  }
  return only ?? systemGroupId('role:nobody');
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other);
