import { table } from '../table.ts';

/** The other side of `missed_mails`, earliest first (UNIX milliseconds). */
export const missedMailTimes = table<[dueAt: number, userId: number], object>(
  'missed_mail_times',
  [],
);
