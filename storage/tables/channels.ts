import type { TopicsPolicy } from '../../src/domain/objects.ts';
import type { ChannelPermissionName } from '../../src/domain/permission-settings.ts';
import { table } from '../table.ts';

export type GroupSetting =
  | number
  | { readonly direct_members: readonly number[]; readonly direct_subgroups: readonly number[] };

export interface ChannelRow {
  readonly id: number;
  readonly recipientId: number;
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
  readonly creatorId: number | null;
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  /** Whether a new subscriber sees what was said before. */
  readonly hasSharedHistory: boolean;
  readonly isArchived: boolean;
  readonly messageRetentionDays: number | null;
  readonly topicsPolicy: TopicsPolicy;
  readonly folderId: number | null;
  readonly firstMessageId: number | null;
  readonly subscriberCount: number;
  readonly isDefault: boolean;
  readonly groups: Readonly<Record<ChannelPermissionName, GroupSetting>>;
  /**
   * UNIX seconds. Until then it is recently active whatever happens, and then it is looked at again: its messages may
   * have made it longer. Null: it is not.
   */
  readonly activeUntil: number | null;
  /** Messages in a week on average, as of the last count. Null: not counted yet, or too young. */
  readonly weeklyTraffic: number | null;
}

export const channels = table<[channelId: number], ChannelRow>(
  'channels',
  [
    'id',
    'recipientId',
    'name',
    'description',
    'renderedDescription',
    'dateCreated',
    'creatorId',
    'isPrivate',
    'isWebPublic',
    'hasSharedHistory',
    'isArchived',
    'messageRetentionDays',
    'topicsPolicy',
    'folderId',
    'firstMessageId',
    'subscriberCount',
    'isDefault',
    'groups',
    'activeUntil',
    'weeklyTraffic',
  ],
  { activeUntil: null, weeklyTraffic: null }, // a migration gives all of them their time
);
