import { table } from '../../table.ts';

/** A set of people who write to each other directly. */
export const conversations = table<[recipientId: number], { readonly userIds: readonly number[] }>(
  'conversations',
  ['userIds'],
);

/**
 * Finds the conversation of exactly these people by their ids: ascending, joined by commas and
 * hashed, since a key has a bounded length.
 */
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
 * The direct messages of each user in order, in whatever conversation they are. Without it the
 * lists of each conversation would have to be merged, which may be hundreds for one user.
 */
export const userDirectMessages = table<[userId: number, messageId: number], Record<never, never>>(
  'user_direct_messages',
  [],
);
