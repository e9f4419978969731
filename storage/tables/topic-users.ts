import { table } from '../table.ts';

/** The other side of `user_topics`: who decided something about a topic, for when the topic is moved. */
export const topicUsers = table<[channelId: number, topicKey: string, userId: number], object>(
  'topic_users',
  [],
);
