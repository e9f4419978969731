import { table } from '../../table.ts';

/**
 * The state that one user has of one message: a set of flag bits (`src/domain/wire/flags.ts`). A
 * message without a row is unflagged, and is read exactly when it lies at or below the user's
 * `readThrough`.
 */
export const messageFlags = table<[userId: number, messageId: number], { readonly bits: number }>(
  'message_flags',
  ['bits'],
);

/**
 * The other side of `message_flags`, read if a message is deleted or becomes hidden from a user:
 * the users who have flags of it.
 */
export const flagHolders = table<[messageId: number, userId: number], object>('flag_holders', []);

/**
 * The messages of a user that carry one flag, for `is:starred`, `is:mentioned` and the register
 * snapshot.
 */
export const flaggedMessages = table<
  [userId: number, flagBit: number, messageId: number],
  Record<never, never>
>('flagged_messages', []);
