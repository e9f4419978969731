import { table } from '../table.ts';

/** Unread messages that devices of a user show, because they were pushed. */
export const pushedMessages = table<[userId: number, messageId: number], object>(
  'pushed_messages',
  [],
);
