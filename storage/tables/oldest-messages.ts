import { table } from '../table.ts';

/** In place of a number of days: as long as the realm says. No channel keeps its messages for no days. */
export const AS_THE_REALM = 0;

/**
 * The oldest message of each channel whose messages may expire, by how long the channel keeps them. Ids are in the order of
 * time, so the first row of a number of days is the first of them all to expire, and a channel moves in this list when its
 * first message changes, not with each that is sent.
 */
export const oldestMessages = table<
  [retentionDays: number, messageId: number, channelId: number],
  object
>('oldest_messages', []);
