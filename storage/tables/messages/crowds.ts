import { table } from '../../table.ts';

export interface CrowdRow {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** A crowd may be everybody, so crowds are cached by their ids: a million take some megabytes. */
const CACHED_IDS_MAX = 1_048_576;
/** The weight of a row beside its ids, in ids. */
const ROW_IDS = 64;

/**
 * Users whom the mention of a user group reached in a channel, stored once for all messages that
 * reached them. If users come or go, the next mention reaches another crowd, so a row never
 * changes.
 */
export const crowds = table<[crowdId: number], CrowdRow>(
  'crowds',
  ['groupId', 'channelId', 'userIds'],
  {
    cache: {
      policy: 'read-mostly',
      sizeOf: ({ userIds }) => ROW_IDS + userIds.length,
      sizeMax: CACHED_IDS_MAX,
    },
  },
);

/**
 * The messages that mention a crowd, in order, for `is:mentioned` and the register snapshot. Every
 * crowd has at least one.
 */
export const crowdMessages = table<[crowdId: number, messageId: number], object>(
  'crowd_messages',
  [],
);

/**
 * The other side of `crowd_messages`: the crowds that a message mentions. Most messages have no
 * row.
 */
export const messageCrowds = table<[messageId: number], { readonly crowdIds: readonly number[] }>(
  'message_crowds',
  ['crowdIds'],
);

/** The crowds that a user is in: the lists of messages in which groups mention them. */
export const userCrowds = table<[userId: number, crowdId: number], object>('user_crowds', []);

/** The newest crowd of a group in a channel. */
export const groupCrowds = table<
  [groupId: number, channelId: number],
  { readonly crowdId: number }
>('group_crowds', ['crowdId'], { cache: 'read-mostly' });
