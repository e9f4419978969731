import { table } from '../table.ts';

export interface TopicRow {
  /** The spelling of the newest message. */
  readonly name: string;
  readonly newestMessageId: number;
  readonly messageCount: number;
}

/** Topics compare without case, so the key is the folded name. */
export const topics = table<[channelId: number, topicKey: string], TopicRow>('topics', [
  'name',
  'newestMessageId',
  'messageCount',
]);
