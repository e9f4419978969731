import { table } from '../table.ts';

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
