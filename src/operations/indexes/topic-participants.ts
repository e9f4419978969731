import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Counts the participants of a topic: users who sent or reacted to a message of it
 * (reference/endpoints.md 1.1: wildcards). It is called for each message and reaction that is
 * written, moved or deleted. Direct messages have no topic and are ignored.
 */

type CountedMessage = Pick<MessageRow, 'id' | 'senderId' | 'channelId' | 'topic' | 'hasReactions'>;

interface Topic {
  readonly channelId: number;
  /** Upper and lower case are the same. */
  readonly topic: string;
}

/** Counts a message that is now in the topic of its row, with its reactions. */
export const addMessage = (tx: RealmTransaction, row: CountedMessage) => countMessage(tx, row, 1);

/**
 * Stops counting it: before it is deleted, with its reactions, or moved, with the row as it was.
 */
export const removeMessage = (tx: RealmTransaction, row: CountedMessage) =>
  countMessage(tx, row, -1);

/** Counts a reaction of a user. */
export const addReaction = (tx: RealmTransaction, row: CountedMessage, userId: number) =>
  count(tx, row, { userId, sent: 0, reacted: 1 });

/** Stops counting it. */
export const removeReaction = (tx: RealmTransaction, row: CountedMessage, userId: number) =>
  count(tx, row, { userId, sent: 0, reacted: -1 });

export function* idsOf(tx: Reads, { channelId, topic }: Topic): Iterable<number> {
  for (const [, , userId] of tx.topicParticipants.keysUnder([channelId, topicKey(topic)])) {
    yield userId;
  }
}

/** Tests whether a topic has more participants than `count`; reads only one more. */
export function areMoreThan(tx: Reads, { channelId, topic }: Topic, count: number): boolean {
  const range = { limit: count + 1 };
  let found = 0;
  for (const _ of tx.topicParticipants.keysUnder([channelId, topicKey(topic)], range)) found += 1;
  return found > count;
}

function countMessage(tx: RealmTransaction, row: CountedMessage, by: 1 | -1) {
  count(tx, row, { userId: row.senderId, sent: by, reacted: 0 });
  if (!row.hasReactions || row.channelId === null) return;
  for (const [, , , userId] of tx.reactions.keysUnder([row.id])) {
    count(tx, row, { userId, sent: 0, reacted: by });
  }
}

/** Adds to what a user sent into the topic of a message and reacted to there. */
export function count(
  tx: RealmTransaction,
  { channelId, topic }: Pick<CountedMessage, 'channelId' | 'topic'>,
  change: { userId: number; sent: number; reacted: number },
) {
  if (channelId === null) return;
  const key: [number, string, number] = [channelId, topicKey(topic), change.userId];
  const before = tx.topicParticipants.get(key);
  const sent = (before?.sent ?? 0) + change.sent;
  const reacted = (before?.reacted ?? 0) + change.reacted;
  if (sent === 0 && reacted === 0) tx.topicParticipants.remove(key);
  else tx.topicParticipants.put(key, { sent, reacted });
}
