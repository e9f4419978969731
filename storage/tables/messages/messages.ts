import { table } from '../../table.ts';

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
  /**
   * UNIX seconds of the last move to another topic or channel; resolving a topic does not count.
   */
  readonly lastMovedAt: number | null;
  /** True if `reactions` has rows of it. Most messages have none, and a list need not look. */
  readonly hasReactions: boolean;
  /** True if `message_edits` has rows of it. */
  readonly hasEdits: boolean;
  /**
   * The channel that it was sent to, if it was moved between channels; null for all other messages.
   */
  readonly homeChannelId: number | null;
  /** When it came to its channel, in the sequence of messages; null if its own id says that. */
  readonly arrivedAt: number | null;
  /** True if `submessages` has rows of it. */
  readonly hasSubmessages: boolean;
}

export const messages = table<[messageId: number], MessageRow>(
  'messages',
  [
    // A search reads only the first four columns of a message that it passes over.
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
    defaults: {
      lastEditedAt: null,
      lastMovedAt: null,
      hasReactions: false,
      hasEdits: false,
      homeChannelId: null,
      arrivedAt: null,
      hasSubmessages: false,
    },
  },
);

/**
 * The messages of a channel in order, with what deriving unread state needs, so that it reads no
 * message.
 */
export const channelMessages = table<
  [channelId: number, messageId: number],
  { readonly topicKey: string; readonly senderId: number }
>('channel_messages', ['topicKey', 'senderId']);

/** The messages of a topic in order. */
export const topicMessages = table<
  [channelId: number, topicKey: string, messageId: number],
  Record<never, never>
>('topic_messages', []);

/**
 * Stands in place of a number of days for the realm's own setting. No channel keeps its messages
 * for no days.
 */
export const AS_THE_REALM = 0;

/**
 * The oldest message of each channel whose messages may expire, by how long the channel keeps them.
 * Ids are in the order of time, so the first row of a number of days is the first of them all to
 * expire. A channel moves in this list if its first message changes, not with each message that is
 * sent.
 */
export const oldestMessages = table<
  [retentionDays: number, messageId: number, channelId: number],
  object
>('oldest_messages', []);

/**
 * Progress of retention in the direct messages: no message before this id is left to be deleted,
 * and the messages there need not be read again.
 */
export const retentionMarks = table<[kind: 'direct'], { readonly messageId: number }>(
  'retention_marks',
  ['messageId'],
);
