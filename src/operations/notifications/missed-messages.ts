import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { MISSED_MAILS_PER_STEP, MISSED_MESSAGES_PER_USER_MAX } from '../../domain/limits/outbox.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import { type Trigger, triggerOf } from '../../domain/rules/people/notifications.ts';
import { PRESENCE_OFFLINE_SECONDS } from '../../domain/rules/people/presence.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import type { Reads } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import { canRead } from '../indexes/message-access.ts';
import * as presences from '../users/presences.ts';
import { situationOf } from './situations.ts';

/**
 * Messages of which users get mails because they were away (docs/decisions/0082). A message is
 * noted when it is sent. When the mails are due, those messages that are still unread go out, one
 * mail for each conversation.
 */

/**
 * An outbox entry for a mail about missed messages. It holds no secret: the mail is made when it is
 * delivered.
 */
export interface MissedEntry {
  readonly userId: number;
  /** The messages of one conversation, ascending. */
  readonly messageIds: readonly number[];
}

type TimeKey = [dueAt: number, userId: number];

/** Notes a message that a user may miss; the first one starts the waiting time. */
export function note(tx: RealmTransaction, user: UserRow, messageId: number) {
  if (tx.missedMessages.has([user.id, messageId])) return;
  const row = tx.missedMails.get([user.id]);
  const waiting = row ?? {
    since: tx.now,
    dueAt: tx.now + periodOf(user),
    messageCount: 0,
  };
  tx.missedMessages.put([user.id, messageId], {});
  const isFull = waiting.messageCount === MISSED_MESSAGES_PER_USER_MAX;
  if (isFull) dropOldest(tx, user.id);
  const messageCount = waiting.messageCount + (isFull ? 0 : 1);
  if (row === undefined) waitUntil(tx, user.id, waiting.dueAt);
  tx.missedMails.put([user.id], { ...waiting, messageCount });
}

/** Applies a new waiting time to mails that wait already. */
export function reschedule(tx: RealmTransaction, user: UserRow) {
  const row = tx.missedMails.get([user.id]);
  if (row !== undefined) move(tx, user.id, Math.max(tx.now, row.since + periodOf(user)));
}

/** Returns when the next mails are due (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'missedMailTimes'>): number | undefined {
  for (const [dueAt] of reader.missedMailTimes.keys({ limit: 1 })) return dueAt;
  return undefined;
}

export const due = (reader: Pick<RealmReader, 'missedMailTimes'>, now: number): TimeKey[] =>
  Array.from(reader.missedMailTimes.keys({ end: [now + 1], limit: MISSED_MAILS_PER_STEP }));

/**
 * Adds the mails of a user to the outbox. A user who is active at this moment may read the messages
 * there, so the mails wait until they have left.
 */
export function deliver(tx: RealmTransaction, [dueAt, userId]: TimeKey) {
  const row = tx.missedMails.get([userId]);
  // The mails were rescheduled after they were found to be due.
  if (row?.dueAt !== dueAt) return;
  const user = tx.users.get([userId]);
  const messageIds = Array.from(tx.missedMessages.keysUnder([userId]), ([, id]) => id);
  const missed = user === undefined ? [] : stillMissed(tx, user, messageIds);
  if (user !== undefined && missed.length > 0 && presences.isPresent(tx, user, tx.now)) {
    move(tx, userId, tx.now + PRESENCE_OFFLINE_SECONDS * 1000);
    return;
  }
  forget(tx, [dueAt, userId]);
  for (const messages of byConversation(missed)) {
    const content: MissedEntry = { userId, messageIds: messages.map(({ id }) => id) };
    outbox.post(tx, { kind: 'missed', content });
  }
}

/** Forgets the messages that were noted for a user, whether or not they were mailed. */
export function forget(tx: RealmTransaction, [dueAt, userId]: TimeKey) {
  for (const key of [...tx.missedMessages.keysUnder([userId])]) tx.missedMessages.remove(key);
  tx.missedMails.remove([userId]);
  tx.missedMailTimes.remove([dueAt, userId]);
}

export interface Missed extends MessageRow {
  readonly trigger: Trigger;
}

/**
 * Returns the messages that the user may read, has not read, and wants mails about, at this moment.
 */
export function stillMissed(tx: Reads, user: UserRow, messageIds: readonly number[]): Missed[] {
  const missed: Missed[] = [];
  for (const id of messageIds) {
    const message = tx.messages.get([id]);
    if (message === undefined || !canRead(tx, user, message)) continue;
    const trigger = triggerOf('mail', situationOf(tx, user, { message, isPresent: false }));
    if (trigger !== null) missed.push({ ...message, trigger });
  }
  return missed;
}

function byConversation(messages: readonly Missed[]): Iterable<readonly Missed[]> {
  const conversations = new Map<string, Missed[]>();
  for (const message of messages) {
    const key = `${message.recipientId} ${topicKey(message.topic)}`;
    const others = conversations.get(key);
    if (others === undefined) conversations.set(key, [message]);
    else others.push(message);
  }
  return conversations.values();
}

function dropOldest(tx: RealmTransaction, userId: number) {
  for (const key of tx.missedMessages.keysUnder([userId], { limit: 1 })) {
    tx.missedMessages.remove(key);
    return;
  }
}

function move(tx: RealmTransaction, userId: number, dueAt: number) {
  const row = tx.missedMails.get([userId]);
  if (row === undefined) return;
  tx.missedMailTimes.remove([row.dueAt, userId]);
  tx.missedMails.put([userId], { ...row, dueAt });
  waitUntil(tx, userId, dueAt);
}

function waitUntil(tx: RealmTransaction, userId: number, dueAt: number) {
  tx.missedMailTimes.put([dueAt, userId], {});
  tx.wakeAt(dueAt);
}

const PERIOD = 'email_notifications_batching_period_seconds';
const periodOf = ({ settings }: UserRow) =>
  (settings[PERIOD] ?? USER_SETTINGS[PERIOD].default) * 1000;
