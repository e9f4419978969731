import { table } from '../table.ts';

export interface MessageRow {
  readonly id: number;
  readonly senderId: number;
  readonly recipientId: number;
  /** Null for a direct message. */
  readonly channelId: number | null;
  /** As written; empty for a direct message. */
  readonly topic: string;
  readonly content: string;
  readonly renderedContent: string;
  /** UNIX seconds. */
  readonly sentAt: number;
  readonly client: string;
  /** A non-silent channel wildcard mentions every recipient, so it is stored once. */
  readonly hasChannelWildcard: boolean;
}

export const messages = table<[messageId: number], MessageRow>('messages', [
  'id',
  'senderId',
  'recipientId',
  'channelId',
  'topic',
  'content',
  'renderedContent',
  'sentAt',
  'client',
  'hasChannelWildcard',
]);
