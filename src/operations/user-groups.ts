import type { GroupRow } from '../../storage/tables/groups.ts';
import type { QueueOptions } from '../domain/queue-options.ts';
import type { Group } from '../domain/system-groups.ts';
import type { Reads } from './groups.ts';

/** A group as events and snapshots give it (reference/events-and-register.md 4.4). */
export function groupObject(tx: Reads, row: GroupRow): Group {
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
    ...row.permissions,
  };
}

/** The groups that somebody made, ascending by id; deactivated ones for clients that know of such. */
export function list(tx: Reads, capabilities: QueueOptions['capabilities']): Group[] {
  const listed: Group[] = [];
  for (const [, row] of tx.groups.range({})) {
    if (row.isDeactivated && !capabilities.include_deactivated_groups) continue;
    listed.push(groupObject(tx, row));
  }
  return listed;
}
