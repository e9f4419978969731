import { table } from '../table.ts';

/**
 * The direct messages of each of their people, in order, whomever they are with: who has written with hundreds would
 * otherwise have a list of each conversation to be merged.
 */
export const userDirectMessages = table<[userId: number, messageId: number], Record<never, never>>(
  'user_direct_messages',
  [],
);
