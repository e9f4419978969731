import type { GroupPermissionName } from '../../src/domain/permission-settings.ts';
import { table } from '../table.ts';
import type { GroupSetting } from './channels.ts';

/** A user group that somebody made; those that every realm has are in `src/domain/system-groups.ts`. */
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

export const groups = table<[groupId: number], GroupRow>('groups', [
  'id',
  'name',
  'description',
  'dateCreated',
  'creatorId',
  'isDeactivated',
  'permissions',
]);
