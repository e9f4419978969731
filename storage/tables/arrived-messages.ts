import { table } from '../table.ts';

/** Messages of a channel that were moved to it: the other side of `departed_messages`. */
export const arrivedMessages = table<[channelId: number, messageId: number], object>(
  'arrived_messages',
  [],
);
