import { table } from '../table.ts';

/** Messages that somebody is to be mailed of, unless they read them before the time of the mail. */
export const missedMessages = table<[userId: number, messageId: number], object>(
  'missed_messages',
  [],
);
