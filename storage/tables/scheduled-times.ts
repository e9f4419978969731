import { table } from '../table.ts';

/** The scheduled messages that are still to be sent, earliest first (UNIX milliseconds): what is due begins the table. */
export const scheduledTimes = table<
  [dueAt: number, userId: number, scheduledMessageId: number],
  Record<never, never>
>('scheduled_times', []);
