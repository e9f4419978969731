import type { ParticipantRow } from '../../../storage/tables/channels/topics.ts';
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
  countShare(tx, row, { userId, sent: 0, reacted: 1 });

/** Stops counting it. */
export const removeReaction = (tx: RealmTransaction, row: CountedMessage, userId: number) =>
  countShare(tx, row, { userId, sent: 0, reacted: -1 });

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
  countShare(tx, row, { userId: row.senderId, sent: by, reacted: 0 });
  if (!row.hasReactions || row.channelId === null) return;
  for (const [, , , userId] of tx.reactions.keysUnder([row.id])) {
    countShare(tx, row, { userId, sent: 0, reacted: by });
  }
}

function countShare(
  tx: RealmTransaction,
  { channelId, topic }: CountedMessage,
  { userId, ...by }: ParticipantRow & { readonly userId: number },
) {
  if (channelId !== null) count(tx, [channelId, topicKey(topic), userId], by);
}

/** Adds to the share of a user in a topic, which is named by its key. */
export function count(
  tx: RealmTransaction,
  key: [channelId: number, topicKey: string, userId: number],
  by: ParticipantRow,
) {
  const before = tx.topicParticipants.get(key);
  const sent = (before?.sent ?? 0) + by.sent;
  const reacted = (before?.reacted ?? 0) + by.reacted;
  if (sent === 0 && reacted === 0) tx.topicParticipants.remove(key);
  else tx.topicParticipants.put(key, { sent, reacted });
}
