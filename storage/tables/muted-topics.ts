import { table } from '../table.ts';

/** Those of `user_topics` that are muted: every event about a user's topics lists them, and most decisions are others. */
export const mutedTopics = table<
  [userId: number, channelId: number, topicKey: string],
  Record<never, never>
>('muted_topics', []);
