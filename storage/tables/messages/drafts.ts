import { table } from '../../table.ts';

/** What somebody began to write and did not send. */
export interface DraftRow {
  /** Empty while it is not said where it is to go. */
  readonly type: '' | 'private' | 'stream';
  /** The channel; or the people without the author, unless alone, ascending; or nobody yet. */
  readonly to: readonly number[];
  /** Empty where it is for no channel. */
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

/** The scheduled messages that are still to be sent, earliest first (UNIX milliseconds): what is due begins the table. */
export const scheduledTimes = table<
  [dueAt: number, userId: number, scheduledMessageId: number],
  Record<never, never>
>('scheduled_times', []);

/** That somebody wants to be reminded of a message. */
export interface ReminderRow {
  readonly messageId: number;
  /** Empty when there is none. */
  readonly note: string;
  /** What a list of reminders says of it, as of when it was made. */
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

/** The reminders that are still to be sent, earliest first (UNIX milliseconds): what is due begins the table. */
export const reminderTimes = table<
  [dueAt: number, userId: number, reminderId: number],
  Record<never, never>
>('reminder_times', []);

/** A text that its owner puts into messages now and then. */
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
