import { table } from '../table.ts';

/**
 * The channels that are recently active, by when each is to be looked at again (`activeUntil` of its row): the first row is
 * the first that may have become quiet. A send does not touch it.
 */
export const activeChannels = table<[activeUntil: number, channelId: number], object>(
  'active_channels',
  [],
);
