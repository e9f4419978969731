import { table } from '../../table.ts';

/** A message that a user began to write and did not send. */
export interface DraftRow {
  /** Empty until the user says where the message is to go. */
  readonly type: '' | 'private' | 'stream';
  /**
   * The channel; or the people without the author, unless the author writes to themselves,
   * ascending; or empty.
   */
  readonly to: readonly number[];
  /** Empty if it is for no channel. */
  readonly topic: string;
  readonly content: string;
  /** When it was last edited, as its client says. UNIX seconds. */
  readonly timestamp: number;
}

/** User first: all drafts of one user are read together, and are deleted together. */
export const drafts = table<[userId: number, draftId: number], DraftRow>('drafts', [
  'type',
  'to',
  'topic',
  'content',
  'timestamp',
]);

/** A message that is to be sent later, or that could not be sent when its time came. */
export interface ScheduledMessageRow {
  /** Null for a direct message. */
  readonly channelId: number | null;
  /**
   * The recipients of a direct message, ascending; without the sender, unless it is a note to
   * themselves.
   */
  readonly userIds: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** HTML as of when it was stored; the message is rendered again when it is sent. */
  readonly renderedContent: string;
  /** UNIX seconds. */
  readonly dueAt: number;
  readonly isReadBySender: boolean;
  /** The program that scheduled it; the message is sent as from this program. */
  readonly client: string;
  readonly isFailed: boolean;
  /** The words that its author is told of a failure; null if it has not failed. */
  readonly failureReason: string | null;
}

/** User first: a list is one user's. */
export const scheduledMessages = table<
  [userId: number, scheduledMessageId: number],
  ScheduledMessageRow
>(
  'scheduled_messages',
  [
    'channelId',
    'userIds',
    'topic',
    'content',
    'renderedContent',
    'dueAt',
    'isReadBySender',
    'client',
    'isFailed',
    'failureReason',
  ],
  { defaults: { failureReason: null } },
);

/**
 * The scheduled messages that are still to be sent, earliest first (UNIX milliseconds): the table
 * begins with those that are due.
 */
export const scheduledTimes = table<
  [dueAt: number, userId: number, scheduledMessageId: number],
  Record<never, never>
>('scheduled_times', []);

/** A user's wish to be reminded of a message. */
export interface ReminderRow {
  readonly messageId: number;
  /** Empty when there is none. */
  readonly note: string;
  /** The text that a list of reminders shows, as of when the reminder was made. */
  readonly content: string;
  readonly renderedContent: string;
  /** UNIX seconds. */
  readonly dueAt: number;
  readonly isFailed: boolean;
}

/** User first: a list is one user's. */
export const reminders = table<[userId: number, reminderId: number], ReminderRow>('reminders', [
  'messageId',
  'note',
  'content',
  'renderedContent',
  'dueAt',
  'isFailed',
]);

/**
 * The reminders that are still to be sent, earliest first (UNIX milliseconds): the table begins
 * with those that are due.
 */
export const reminderTimes = table<
  [dueAt: number, userId: number, reminderId: number],
  Record<never, never>
>('reminder_times', []);

/** A text that its owner inserts into messages now and then. */
export interface SavedSnippetRow {
  readonly title: string;
  readonly content: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
}

/** User first: a list is one user's. */
export const savedSnippets = table<[userId: number, savedSnippetId: number], SavedSnippetRow>(
  'saved_snippets',
  ['title', 'content', 'dateCreated'],
);
