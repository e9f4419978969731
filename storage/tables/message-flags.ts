import { table } from '../table.ts';

/**
 * What differs for one user and message: a set of flag bits (`src/domain/flags.ts`). A message without a row is unflagged
 * and read exactly when it lies at or below the user's `readThrough`.
 */
export const messageFlags = table<[userId: number, messageId: number], { readonly bits: number }>(
  'message_flags',
  ['bits'],
);
