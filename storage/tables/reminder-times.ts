import { table } from '../table.ts';

/** The reminders that are still to be sent, earliest first (UNIX milliseconds): what is due begins the table. */
export const reminderTimes = table<
  [dueAt: number, userId: number, reminderId: number],
  Record<never, never>
>('reminder_times', []);
