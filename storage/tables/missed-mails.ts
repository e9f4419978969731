import { table } from '../table.ts';

/** The next mails to somebody who misses messages: one time for all conversations. */
export interface MissedMailRow {
  /** When the first of the messages came (UNIX milliseconds). */
  readonly since: number;
  /** When the mails are due (UNIX milliseconds). */
  readonly dueAt: number;
  /** How many messages are noted. */
  readonly messageCount: number;
}

export const missedMails = table<[userId: number], MissedMailRow>('missed_mails', [
  'since',
  'dueAt',
  'messageCount',
]);
