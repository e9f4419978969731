import { GROUP_OBJECTIONS_MAX } from '../../domain/limits/groups.ts';
import type { GroupObjection } from '../../domain/wire/errors.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/wire/settings/permission-settings.ts';
import { settingsNaming } from '../access/group-settings.ts';
import { type Reads, realmSettings } from '../access/groups.ts';

/**
 * Returns the uses of a group that prevent its deactivation: groups that contain it, and settings
 * that name it.
 */
export function objectionsTo(tx: Reads, groupId: number): GroupObjection[] {
  const objections: GroupObjection[] = [];
  for (const objection of usesOf(tx, groupId)) {
    objections.push(objection);
    if (objections.length === GROUP_OBJECTIONS_MAX) break;
  }
  return objections;
}

/**
 * Yields the uses of a group. Archived channels and deactivated groups do not count, since their
 * settings have no effect.
 */
function* usesOf(tx: Reads, groupId: number): Iterable<GroupObjection> {
  const supergroupIds = Array.from(tx.supergroups.keysUnder([groupId]), ([, id]) => id).filter(
    (id) => tx.groups.get([id])?.isDeactivated === false,
  );
  if (supergroupIds.length > 0) yield { type: 'subgroup', supergroup_ids: supergroupIds };
  const ofRealm = settingsNaming(realmPermissions(tx), groupId);
  if (ofRealm.length > 0) yield { type: 'realm', settings: ofRealm };
  for (const [, , channelId] of tx.groupUses.keysUnder([groupId, 'channel'])) {
    const channel = tx.channels.get([channelId]);
    if (channel === undefined || channel.isArchived) continue;
    const settings = settingsNaming(channel.groups, groupId);
    yield { type: 'channel', channel_id: channelId, settings };
  }
  for (const [, , otherId] of tx.groupUses.keysUnder([groupId, 'group'])) {
    const other = tx.groups.get([otherId]);
    if (other === undefined || other.isDeactivated || otherId === groupId) continue;
    yield {
      type: 'user_group',
      group_id: otherId,
      settings: settingsNaming(other.permissions, groupId),
    };
  }
}

function realmPermissions(tx: Reads) {
  const settings = realmSettings(tx);
  // The names are those of the table; `Object.keys` loses them.
  const names = Object.keys(
    SERVER_SUPPORTED_PERMISSION_SETTINGS.realm,
  ) as (keyof typeof SERVER_SUPPORTED_PERMISSION_SETTINGS.realm)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}
