import type { ReminderRow } from '../../../storage/tables/messages/drafts.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import {
  REMINDER_NOTE_LENGTH_MAX,
  REMINDERS_PER_STEP,
  REMINDERS_PER_USER_MAX,
} from '../../domain/limits/personal.ts';
import { isLongerThan } from '../../domain/rules/messages/topic.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { Reminder } from '../../domain/wire/personal-objects.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Caller, Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { canRead, readable } from '../indexes/message-access.ts';
import * as notices from '../posting/notices.ts';
import { cutAt, linkTo, urlOf } from '../posting/notices.ts';
import { mentionDirectory } from '../rendering/mention-directory.ts';
import { refuseTime } from './scheduled-messages.ts';

export interface NewReminder {
  readonly messageId: number;
  /** UNIX seconds. */
  readonly dueAt: number;
  readonly note: string;
}

/** Stores a reminder of a message for the caller. */
export function add(tx: RealmTransaction, caller: Caller, given: NewReminder): number {
  const { user, site } = caller;
  const target = readable(tx, user, given.messageId);
  refuseTime(tx, given.dueAt);
  const note = acceptableNote(given.note);
  refuseTooMany(tx, user.id);
  const id = tx.nextId('reminder');
  const content = withNote(requestOf(tx, site, target), note);
  const row: ReminderRow = {
    messageId: target.id,
    note,
    content,
    renderedContent: renderMarkdown(content, mentionDirectory(tx, user, site)).html,
    dueAt: given.dueAt,
    isFailed: false,
  };
  const dueAt = row.dueAt * 1000;
  tx.reminders.put([user.id, id], row);
  tx.reminderTimes.put([dueAt, user.id, id], {});
  tx.wakeAt(dueAt);
  announceNew(tx, [user.id, id], row);
  return id;
}

export function remove(tx: RealmTransaction, userId: number, id: number) {
  const row = tx.reminders.get([userId, id]);
  if (row === undefined) throw errors.noSuchReminder();
  forget(tx, [userId, id], row);
}

/** Returns the pending reminders of a user, soonest first. */
export const list = (tx: Reads, userId: number): Reminder[] =>
  Array.from(tx.reminders.under([userId]), ([key, row]) => objectOf(key, row)).sort(
    (one, other) =>
      one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
      one.reminder_id - other.reminder_id,
  );

/** Returns when the next reminder is due (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'reminderTimes'>): number | undefined {
  for (const [dueAt] of reader.reminderTimes.keys({ limit: 1 })) return dueAt;
  return undefined;
}

type TimeKey = [dueAt: number, userId: number, id: number];

/** Returns reminders that are due. */
export const due = (reader: Pick<RealmReader, 'reminderTimes'>, now: number): TimeKey[] =>
  Array.from(reader.reminderTimes.keys({ end: [now + 1], limit: REMINDERS_PER_STEP }));

/**
 * Sends a reminder, however late, since its purpose does not pass with its time. It is sent and
 * removed in one transaction, so it is sent once, even if the process is killed.
 */
export function deliver(tx: RealmTransaction, [dueAt, userId, id]: TimeKey, site: Site) {
  const row = tx.reminders.get([userId, id]);
  // It was removed between being found and this transaction.
  if (row === undefined) {
    tx.reminderTimes.remove([dueAt, userId, id]);
    return;
  }
  const user = tx.users.get([userId]);
  if (user === undefined || !user.isActive || tx.realm.get(['realm'])?.isActive !== true) {
    markFailed(tx, [dueAt, userId, id], row);
    return;
  }
  const content = noticeOf(tx, site, { user, row });
  notices.toPeople(tx, site, { people: [user], content, isQuoting: true, readAs: user });
  forget(tx, [userId, id], row);
}

/** Marks a reminder that could not be sent. */
export function fail(tx: RealmTransaction, [dueAt, userId, id]: TimeKey) {
  const row = tx.reminders.get([userId, id]);
  if (row === undefined) return;
  const failed = markFailed(tx, [dueAt, userId, id], row);
  // There is no event for a change of a reminder.
  announceGone(tx, userId, id);
  announceNew(tx, [userId, id], failed);
}

function acceptableNote(text: string): string {
  const note = text.trim();
  if (note.includes('\0')) throw errors.badRequest('note must not contain null bytes');
  if (isLongerThan(note, REMINDER_NOTE_LENGTH_MAX)) {
    throw errors.badRequest(`note is too long (limit: ${REMINDER_NOTE_LENGTH_MAX} characters)`);
  }
  return note;
}

function refuseTooMany(tx: Reads, userId: number) {
  let count = 0;
  for (const _ of tx.reminders.keysUnder([userId])) count += 1;
  if (count >= REMINDERS_PER_USER_MAX) {
    throw errors.badRequest(`You can have at most ${REMINDERS_PER_USER_MAX} reminders.`);
  }
}

function requestOf(tx: Reads, site: Site, target: MessageRow): string {
  const link = linkTo(tx, target) ?? `[a direct message](${urlOf(tx, site, target)})`;
  return `You asked to be reminded of ${link}.`;
}

const withNote = (text: string, note: string) =>
  note === '' ? text : `${text} Your note:\n${fenced(note, 'quote')}`;

/**
 * Returns the text of a reminder, which quotes the message as it is now, if the user may still read
 * it.
 */
function noticeOf(
  tx: Reads,
  site: Site,
  { user, row }: { user: UserRow; row: ReminderRow },
): string {
  const target = tx.messages.get([row.messageId]);
  const author = target && tx.users.get([target.senderId]);
  if (target === undefined || author === undefined || !canRead(tx, user, target)) {
    const gone = 'You asked to be reminded of a message that you cannot read any more.';
    return withNote(gone, row.note);
  }
  const request = withNote(requestOf(tx, site, target), row.note);
  const said = `${notices.silentMention(author)} wrote:`;
  const room = MESSAGE_LENGTH_MAX - request.length - said.length - FENCES_LENGTH_MAX;
  const quoted = fenced(cutAt(target.content, Math.max(room, 0)), 'quote');
  const notice = `${request}\n\n${said}\n${quoted}`;
  // A fence is longer than any in the content: if a message is little else, the link has to
  // suffice.
  return isLongerThan(notice, MESSAGE_LENGTH_MAX) ? request : notice;
}

/** Characters reserved for the usual fences around the content. */
const FENCES_LENGTH_MAX = 200;

type Key = [userId: number, id: number];

function forget(tx: RealmTransaction, [userId, id]: Key, row: ReminderRow) {
  tx.reminders.remove([userId, id]);
  tx.reminderTimes.remove([row.dueAt * 1000, userId, id]);
  announceGone(tx, userId, id);
}

function markFailed(tx: RealmTransaction, [dueAt, userId, id]: TimeKey, row: ReminderRow) {
  const failed = { ...row, isFailed: true };
  tx.reminders.put([userId, id], failed);
  tx.reminderTimes.remove([dueAt, userId, id]);
  return failed;
}

const announceNew = (tx: RealmTransaction, [userId, id]: Key, row: ReminderRow) =>
  emit(tx, userId, { type: 'reminders', op: 'add', reminders: [objectOf([userId, id], row)] });

const announceGone = (tx: RealmTransaction, userId: number, id: number) =>
  emit(tx, userId, { type: 'reminders', op: 'remove', reminder_id: id });

const emit = (tx: RealmTransaction, userId: number, event: EventBody) =>
  tx.emit({ event, audience: { users: [userId] } });

const objectOf = ([userId, id]: Key, row: ReminderRow): Reminder => ({
  reminder_id: id,
  type: 'private',
  to: [userId],
  content: row.content,
  rendered_content: row.renderedContent,
  scheduled_delivery_timestamp: row.dueAt,
  failed: row.isFailed,
  reminder_target_message_id: row.messageId,
});
