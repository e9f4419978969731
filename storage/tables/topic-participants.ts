import { table } from '../table.ts';

/** What somebody has in a topic; nothing of either has no row. */
export interface ParticipantRow {
  /** Messages they sent. */
  readonly sent: number;
  /** Reactions of theirs. */
  readonly reacted: number;
}

/**
 * Who sent or reacted to a message of a topic. Numbers, so that a message that is moved or deleted takes a participant
 * along only with their last part in the topic, and nobody has to look for others.
 */
export const topicParticipants = table<
  [channelId: number, topicKey: string, userId: number],
  ParticipantRow
>('topic_participants', ['sent', 'reacted']);
