import { table } from '../table.ts';

/**
 * Who left a channel and may have messages of it, for when one of them is changed. By the last message that they can have
 * received: of a recent message, only those who left lately are looked at, however many left before.
 */
export const formerSubscribers = table<
  [channelId: number, lastReceivedId: number, userId: number],
  object
>('former_subscribers', []);
