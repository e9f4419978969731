import { table } from '../table.ts';

/** The messages of a user that carry one flag, for `is:starred`, `is:mentioned` and the register snapshot. */
export const flaggedMessages = table<
  [userId: number, flagBit: number, messageId: number],
  Record<never, never>
>('flagged_messages', []);
