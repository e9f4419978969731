import { table } from '../table.ts';

/** The direct conversations of a user, and up to where each is read. */
export const userConversations = table<
  [userId: number, recipientId: number],
  { readonly readThrough: number }
>('user_conversations', ['readThrough']);
