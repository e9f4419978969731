import { table } from '../table.ts';

/** A message that is to be sent later, or that could not be sent when its time came. */
export interface ScheduledMessageRow {
  /** Null for a direct message. */
  readonly channelId: number | null;
  /** Of a direct message: the recipients without the sender, unless alone; ascending. */
  readonly userIds: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** As it looked when it was stored; it is rendered anew when it is sent. */
  readonly renderedContent: string;
  /** UNIX seconds. */
  readonly dueAt: number;
  readonly isReadBySender: boolean;
  /** The program that scheduled it, which is that of the message. */
  readonly client: string;
  readonly isFailed: boolean;
}

/** User first: a list is one user's. */
export const scheduledMessages = table<
  [userId: number, scheduledMessageId: number],
  ScheduledMessageRow
>('scheduled_messages', [
  'channelId',
  'userIds',
  'topic',
  'content',
  'renderedContent',
  'dueAt',
  'isReadBySender',
  'client',
  'isFailed',
]);
