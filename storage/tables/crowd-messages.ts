import { table } from '../table.ts';

/** The messages that mention a crowd, in order, for `is:mentioned` and the register snapshot. No crowd has none. */
export const crowdMessages = table<[crowdId: number, messageId: number], object>(
  'crowd_messages',
  [],
);
