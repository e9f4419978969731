import { createHash } from 'node:crypto';
import { inOrder } from '../../domain/ascending.ts';
import type { Reads } from '../access/groups.ts';

/** Returns the conversation of exactly these users, if they have ever written to each other. */
export const find = (tx: Reads, userIds: readonly number[]): number | undefined =>
  tx.conversationMembers.get([membersKey(inOrder(userIds))])?.recipientId;

export const peopleOf = (tx: Reads, recipientId: number): readonly number[] =>
  tx.conversations.get([recipientId])?.userIds ?? [];

/**
 * Hashes the members: a key has a bounded length, and a conversation may have more people than fit.
 */
export const membersKey = (userIds: readonly number[]) =>
  createHash('sha256').update(userIds.join(',')).digest('base64');
