import { table } from '../table.ts';

/** A set of people who write to each other directly. */
export const conversations = table<[recipientId: number], { readonly userIds: readonly number[] }>(
  'conversations',
  ['userIds'],
);
