import { table } from '../../table.ts';

/**
 * Messages that a user is to get a mail about, unless the user reads them before the mail is due.
 */
export const missedMessages = table<[userId: number, messageId: number], object>(
  'missed_messages',
  [],
);

/** The next mails to a user who misses messages. They are due at one time for all conversations. */
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

/**
 * Users who want every message of a channel mailed while they are away. As in `push_listeners`,
 * `ALL_CHANNELS` stands for all channels that a user did not decide about.
 */
export const mailListeners = table<[channelId: number, userId: number], object>(
  'mail_listeners',
  [],
);
