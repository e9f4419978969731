import type { TopicsPolicy } from '../../../src/domain/wire/objects.ts';
import type { ChannelPermissionName } from '../../../src/domain/wire/settings/permission-settings.ts';
import { table } from '../../table.ts';

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
  /** True if a new subscriber sees the messages from before they joined. */
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
   * UNIX seconds. The channel counts as recently active until then; then it is looked at again,
   * because its messages may have prolonged it. Null: it is not recently active.
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
  {
    defaults: { activeUntil: null, weeklyTraffic: null }, // a migration gives all of them their time
    cache: 'read-mostly',
    audited: [
      {
        kind: 'channel',
        target: ([channelId]) => channelId,
        values: (row) => ({
          name: row.name,
          description: row.description,
          invite_only: row.isPrivate,
          is_web_public: row.isWebPublic,
          history_public_to_subscribers: row.hasSharedHistory,
          is_archived: row.isArchived,
          message_retention_days: row.messageRetentionDays,
          topics_policy: row.topicsPolicy,
          folder_id: row.folderId,
          is_default_stream: row.isDefault,
          ...row.groups,
        }),
      },
    ],
  },
);

/** Finds a channel by lower-cased name. */
export const channelNames = table<[name: string], { readonly channelId: number }>(
  'channel_names',
  ['channelId'],
  { cache: 'read-mostly' },
);

/**
 * The recently active channels, by when each is to be looked at again (`activeUntil` of its row):
 * the first row is the first that may have become quiet. A send does not touch it.
 */
export const activeChannels = table<[activeUntil: number, channelId: number], object>(
  'active_channels',
  [],
);

/** Progress of the count of a channel's messages. */
export interface TrafficCount {
  /** The next message to be counted, if it is in the channel. Null: counting has not begun. */
  readonly from: number | null;
  readonly count: number;
}

/**
 * Every channel, by when its traffic is to be counted next: the first row is the first that is due.
 * A send does not touch it.
 */
export const trafficCounts = table<[countAt: number, channelId: number], TrafficCount>(
  'traffic_counts',
  ['from', 'count'],
);

/**
 * The bots that have a channel as a default. Channel first: people who manage them hear of its new
 * name.
 */
export const channelBots = table<[channelId: number, botId: number], Record<never, never>>(
  'channel_bots',
  [],
);
