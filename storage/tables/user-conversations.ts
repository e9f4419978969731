import { table } from '../table.ts';

export interface UserConversationRow {
  readonly readThrough: number;
}

/** The direct conversations of a user, and up to where each is read. */
export const userConversations = table<[userId: number, recipientId: number], UserConversationRow>(
  'user_conversations',
  ['readThrough'],
);
