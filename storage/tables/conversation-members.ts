import { table } from '../table.ts';

/** Finds the conversation of exactly these people: ascending ids joined by commas, hashed (a key has a bounded length). */
export const conversationMembers = table<[members: string], { readonly recipientId: number }>(
  'conversation_members',
  ['recipientId'],
);
