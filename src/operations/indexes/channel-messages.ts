import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import { queuesFor, whoKnows } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import * as oldestMessages from './oldest-messages.ts';
import * as topicParticipants from './topic-participants.ts';

/** Names a topic of a channel, as messages do. */
export interface TopicRef {
  readonly channelId: number;
  /** Upper and lower case are the same. */
  readonly topic: string;
}

/** Writes a message into the lists of its channel and topic. */
export function enter(tx: RealmTransaction, row: MessageRow) {
  if (row.channelId === null) return;
  const key = topicKey(row.topic);
  tx.channelMessages.put([row.channelId, row.id], { topicKey: key, senderId: row.senderId });
  tx.topicMessages.put([row.channelId, key, row.id], {});
  topicParticipants.addMessage(tx, row);
}

/**
 * Removes it from them, before its reactions are removed. `countTopic` and `noteFirst` follow when
 * all messages of a change are written.
 */
export function leave(tx: RealmTransaction, row: MessageRow) {
  if (row.channelId === null) return;
  tx.channelMessages.remove([row.channelId, row.id]);
  tx.topicMessages.remove([row.channelId, topicKey(row.topic), row.id]);
  topicParticipants.removeMessage(tx, row);
}

/**
 * Updates the row of a topic after `by` messages were added; a topic without messages has no row.
 */
export function countTopic(tx: RealmTransaction, { channelId, topic }: TopicRef, by: number) {
  const key = topicKey(topic);
  const newest = newestIn(tx, { channelId, topic });
  if (newest === undefined) {
    tx.topics.remove([channelId, key]);
    return;
  }
  const messageCount = (tx.topics.get([channelId, key])?.messageCount ?? 0) + by;
  tx.topics.put([channelId, key], { name: newest.topic, newestMessageId: newest.id, messageCount });
}

export function newestIn(tx: Reads, { channelId, topic }: TopicRef): MessageRow | undefined {
  const newest = { isReverse: true, limit: 1 };
  for (const [, , id] of tx.topicMessages.keysUnder([channelId, topicKey(topic)], newest)) {
    return tx.messages.get([id]);
  }
  return undefined;
}

/** Stores and announces the first message of a channel if it has changed. */
export function noteFirst(tx: RealmTransaction, channelId: number) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return;
  const firstMessageId = firstIn(tx, channelId);
  if (firstMessageId === channel.firstMessageId) return;
  const changed = { ...channel, firstMessageId };
  tx.channels.put([channelId], changed);
  oldestMessages.note(tx, channel, changed);
  tx.emit({
    event: {
      type: 'stream',
      op: 'update',
      stream_id: channelId,
      name: channel.name,
      property: 'first_message_id',
      value: firstMessageId,
    },
    audience: whoKnows(tx, channel),
    ...queuesFor(channel),
  });
}

function firstIn(tx: Reads, channelId: number): number | null {
  for (const [, id] of tx.channelMessages.keysUnder([channelId], { limit: 1 })) return id;
  return null;
}
