import { table } from '../table.ts';

/**
 * Whose settings name a group that somebody made, as the value or within it; group first: what a group is used by is one
 * range. What every realm has is named everywhere and never goes, so it has no rows.
 */
export const groupUses = table<
  [groupId: number, owner: 'channel' | 'group', ownerId: number],
  object
>('group_uses', []);
