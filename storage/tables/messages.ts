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
  /** UNIX seconds of the last change of the content; null: never. */
  readonly lastEditedAt: number | null;
  /** UNIX seconds of the last move to another topic or channel; resolving a topic does not count. */
  readonly lastMovedAt: number | null;
  /** Whether `reactions` has rows of it: most messages have none, and a list need not look. */
  readonly hasReactions: boolean;
  /** Whether `message_edits` has rows of it. */
  readonly hasEdits: boolean;
  /** The channel it was sent to, of a message that was moved between channels; null of all others. */
  readonly homeChannelId: number | null;
  /** When it came to its channel, on the number line of messages; null where its own id says that. */
  readonly arrivedAt: number | null;
  /** Whether `submessages` has rows of it. */
  readonly hasSubmessages: boolean;
}

export const messages = table<[messageId: number], MessageRow>(
  'messages',
  [
    // The first four are what a search reads of a message that it passes over.
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
    'lastEditedAt',
    'lastMovedAt',
    'hasReactions',
    'hasEdits',
    'homeChannelId',
    'arrivedAt',
    'hasSubmessages',
  ],
  {
    lastEditedAt: null,
    lastMovedAt: null,
    hasReactions: false,
    hasEdits: false,
    homeChannelId: null,
    arrivedAt: null,
    hasSubmessages: false,
  },
);
