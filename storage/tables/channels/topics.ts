import { table } from '../../table.ts';

export interface TopicRow {
  /** The spelling of the newest message. */
  readonly name: string;
  readonly newestMessageId: number;
  readonly messageCount: number;
}

/** Topics compare without case, so the key is the folded name. */
export const topics = table<[channelId: number, topicKey: string], TopicRow>(
  'topics',
  ['name', 'newestMessageId', 'messageCount'],
  { cache: 'write-through' },
);

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
>('topic_participants', ['sent', 'reacted'], { cache: 'write-through' });

/** What a user decided about a topic. */
export interface UserTopicRow {
  /** As the user wrote it. */
  readonly topic: string;
  /** 1 muted, 2 unmuted, 3 followed; none has no row. */
  readonly policy: 1 | 2 | 3;
  /** UNIX seconds. */
  readonly updatedAt: number;
}

/** User first: a snapshot lists one user's, and a send looks up the sender's one. The topic is folded. */
export const userTopics = table<
  [userId: number, channelId: number, topicKey: string],
  UserTopicRow
>('user_topics', ['topic', 'policy', 'updatedAt'], { cache: 'read-mostly', feedsViews: true });

/** The other side of `user_topics`: who decided something about a topic, for when the topic is moved. */
export const topicUsers = table<[channelId: number, topicKey: string, userId: number], object>(
  'topic_users',
  [],
);

/** Those of `user_topics` that are muted: every event about a user's topics lists them, and most decisions are others. */
export const mutedTopics = table<
  [userId: number, channelId: number, topicKey: string],
  Record<never, never>
>('muted_topics', []);
