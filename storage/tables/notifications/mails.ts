import { table } from '../../table.ts';

/** Messages that somebody is to be mailed of, unless they read them before the time of the mail. */
export const missedMessages = table<[userId: number, messageId: number], object>(
  'missed_messages',
  [],
);

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

/** The other side of `missed_mails`, earliest first (UNIX milliseconds). */
export const missedMailTimes = table<[dueAt: number, userId: number], object>(
  'missed_mail_times',
  [],
);

/** Who wants every message of a channel mailed while they are away; as `push_listeners`, with the same word for all channels. */
export const mailListeners = table<[channelId: number, userId: number], object>(
  'mail_listeners',
  [],
);
