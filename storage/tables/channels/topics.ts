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

/** Counts a user's share in a topic. A user with no share in it has no row. */
export interface ParticipantRow {
  /** Messages they sent. */
  readonly sent: number;
  /** Reactions of theirs. */
  readonly reacted: number;
}

/**
 * Counts what each user sent to a topic and reacted to there. With counts, a message that is moved
 * or deleted removes a participant exactly when it was their last part in the topic, and nobody has
 * to search for others.
 */
export const topicParticipants = table<
  [channelId: number, topicKey: string, userId: number],
  ParticipantRow
>('topic_participants', ['sent', 'reacted'], { cache: 'write-through' });

/** A user's policy for a topic. */
export interface UserTopicRow {
  /** As the user wrote it. */
  readonly topic: string;
  /** 1 muted, 2 unmuted, 3 followed; none has no row. */
  readonly policy: 1 | 2 | 3;
  /** UNIX seconds. */
  readonly updatedAt: number;
}

/**
 * User first: a snapshot lists one user's topics, and a send looks up one topic of the sender. The
 * topic is folded.
 */
export const userTopics = table<
  [userId: number, channelId: number, topicKey: string],
  UserTopicRow
>('user_topics', ['topic', 'policy', 'updatedAt'], { cache: 'read-mostly', feedsViews: true });

/**
 * The other side of `user_topics`, read if a topic is moved: the users who have a policy for it.
 */
export const topicUsers = table<[channelId: number, topicKey: string, userId: number], object>(
  'topic_users',
  [],
);

/**
 * The muted topics among `user_topics`: every event about a user's topics lists them, and most
 * policies are others.
 */
export const mutedTopics = table<
  [userId: number, channelId: number, topicKey: string],
  Record<never, never>
>('muted_topics', []);
