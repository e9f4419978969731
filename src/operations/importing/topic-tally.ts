import type { ParticipantRow } from '../../../storage/tables/channels/topics.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import * as topicParticipants from '../indexes/topic-participants.ts';

type TalliedMessage = Pick<MessageRow, 'id' | 'senderId' | 'channelId' | 'topic'>;

/**
 * Adds up what an operation of an import puts into topics. It writes several messages into one
 * topic, and each row that counts them is then written once.
 */
export interface TopicTally {
  /** Direct messages have no topic and are ignored; the messages come in the order of their ids. */
  addMessage(row: TalliedMessage): void;
  addReaction(row: TalliedMessage, userId: number): void;
  /** Writes the rows of the topics; it is called once. */
  writeTo(tx: RealmTransaction): void;
}

interface TalliedTopic {
  readonly channelId: number;
  readonly key: string;
  newest: TalliedMessage;
  count: number;
  /** By the ids of users. */
  readonly shares: Map<number, ParticipantRow>;
}

export function openTopicTally(): TopicTally {
  const topics = new Map<string, TalliedTopic>();
  function topicOf(row: TalliedMessage, channelId: number): TalliedTopic {
    const key = topicKey(row.topic);
    const known = topics.get(`${channelId} ${key}`);
    if (known !== undefined) return known;
    const topic: TalliedTopic = { channelId, key, newest: row, count: 0, shares: new Map() };
    topics.set(`${channelId} ${key}`, topic);
    return topic;
  }
  function add({ shares }: TalliedTopic, userId: number, by: ParticipantRow) {
    const { sent, reacted } = shares.get(userId) ?? { sent: 0, reacted: 0 };
    shares.set(userId, { sent: sent + by.sent, reacted: reacted + by.reacted });
  }
  return {
    addMessage(row) {
      if (row.channelId === null) return;
      const topic = topicOf(row, row.channelId);
      topic.newest = row;
      topic.count += 1;
      add(topic, row.senderId, { sent: 1, reacted: 0 });
    },
    addReaction(row, userId) {
      if (row.channelId === null) return;
      add(topicOf(row, row.channelId), userId, { sent: 0, reacted: 1 });
    },
    writeTo(tx) {
      for (const { channelId, key, newest, count, shares } of topics.values()) {
        const before = tx.topics.get([channelId, key]);
        tx.topics.put([channelId, key], {
          name: newest.topic,
          newestMessageId: newest.id,
          messageCount: (before?.messageCount ?? 0) + count,
        });
        for (const [userId, share] of shares) {
          topicParticipants.count(tx, [channelId, key, userId], share);
        }
      }
    },
  };
}
