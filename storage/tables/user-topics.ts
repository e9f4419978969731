import { table } from '../table.ts';

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
>('user_topics', ['topic', 'policy', 'updatedAt']);
