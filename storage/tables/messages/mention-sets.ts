import { table } from '../../table.ts';

/** Stores and archives call a mention set a crowd. */
export interface MentionSetRow {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** A mention set may be everybody, so the cache counts ids: a million take some megabytes. */
const CACHED_IDS_MAX = 1_048_576;
/** The weight of a row beside its ids, in ids. */
const ROW_IDS = 64;

/**
 * Users whom the mention of a user group reached in a channel, stored once for all messages that
 * reached them. If users come or go, the next mention reaches another set, so a row never changes.
 */
export const mentionSets = table<[setId: number], MentionSetRow>(
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
 * The messages that mention a set, in order, for `is:mentioned` and the register snapshot. Every
 * set has at least one.
 */
export const mentionSetMessages = table<[setId: number, messageId: number], object>(
  'crowd_messages',
  [],
);

/**
 * The other side of `crowd_messages`: the sets that a message mentions. Most messages have no row.
 */
export const messageMentionSets = table<
  [messageId: number],
  { readonly crowdIds: readonly number[] }
>('message_crowds', ['crowdIds']);

/** The sets that a user is in: the lists of messages in which groups mention them. */
export const userMentionSets = table<[userId: number, setId: number], object>('user_crowds', []);

/** The newest set of a group in a channel. */
export const groupMentionSets = table<
  [groupId: number, channelId: number],
  { readonly crowdId: number }
>('group_crowds', ['crowdId'], { cache: 'read-mostly' });
