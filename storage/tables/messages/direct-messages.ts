import { table } from '../../table.ts';

/** A set of people who write to each other directly. */
export const conversations = table<[recipientId: number], { readonly userIds: readonly number[] }>(
  'conversations',
  ['userIds'],
);

/** Finds the conversation of exactly these people: ascending ids joined by commas, hashed (a key has a bounded length). */
export const conversationMembers = table<[members: string], { readonly recipientId: number }>(
  'conversation_members',
  ['recipientId'],
);

export interface UserConversationRow {
  readonly readThrough: number;
}

/** The direct conversations of a user, and up to where each is read. */
export const userConversations = table<[userId: number, recipientId: number], UserConversationRow>(
  'user_conversations',
  ['readThrough'],
);

/** The messages of a direct conversation in order. */
export const directMessages = table<
  [recipientId: number, messageId: number],
  { readonly senderId: number }
>('direct_messages', ['senderId']);

/**
 * The direct messages of each of their people, in order, whomever they are with: who has written with hundreds would
 * otherwise have a list of each conversation to be merged.
 */
export const userDirectMessages = table<[userId: number, messageId: number], Record<never, never>>(
  'user_direct_messages',
  [],
);
