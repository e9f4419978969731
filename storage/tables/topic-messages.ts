import { table } from '../table.ts';

/** The messages of a topic in order. */
export const topicMessages = table<
  [channelId: number, topicKey: string, messageId: number],
  Record<never, never>
>('topic_messages', []);
