import { table } from '../../table.ts';

export interface CrowdRow {
  readonly groupId: number;
  readonly channelId: number;
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** A crowd may be everybody, so crowds are cached by their ids: a million take some megabytes. */
const CACHED_IDS_MAX = 1_048_576;
/** What a row takes beside its ids, in ids. */
const ROW_IDS = 64;

/**
 * Those whom the mention of a user group reached in a channel: once for all messages that did. Who it would reach now is
 * another one as soon as somebody has come or gone, so a row never changes.
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

/** The messages that mention a crowd, in order, for `is:mentioned` and the register snapshot. No crowd has none. */
export const crowdMessages = table<[crowdId: number, messageId: number], object>(
  'crowd_messages',
  [],
);

/** The other side of `crowd_messages`: whom a message mentions by their groups. Most messages have no row. */
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
