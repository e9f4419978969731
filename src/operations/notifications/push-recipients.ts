import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import { ALL_CHANNELS, type PushWorkRow } from '../../../storage/tables/notifications/push.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import {
  PUSH_RECIPIENTS_PER_STEP,
  PUSH_USER_IDS_PER_STEP,
  PUSH_WORK_PER_STEP,
} from '../../domain/limits/outbox.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import { triggerOf } from '../../domain/rules/people/notifications.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { hasMailService, hasPushService } from '../../settings/services.ts';
import { isMember } from '../access/groups.ts';
import { bitsOf, holdersFrom } from '../indexes/flag-reads.ts';
import { intersection } from '../indexes/ids/intersections.ts';
import { type IdSet, indexed, listed, within } from '../indexes/ids/iterators.ts';
import { union } from '../indexes/ids/unions.ts';
import { canRead } from '../indexes/message-access.ts';
import * as pushes from '../posting/pushes.ts';
import * as presences from '../users/presences.ts';
import * as missedMessages from './missed-messages.ts';
import { situationOf } from './situations.ts';

type WorkKey = [dueAt: number, workId: number];
type MessageWork = Extract<PushWorkRow, { type: 'message' }>;
type GoneWork = Extract<PushWorkRow, { type: 'gone' }>;

/** Returns when recipients are to be looked for (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'pushWork'>): number | undefined {
  for (const [dueAt] of reader.pushWork.keys({ limit: 1 })) return dueAt;
  return undefined;
}

export const due = (reader: Pick<RealmReader, 'pushWork'>, now: number): WorkKey[] =>
  Array.from(reader.pushWork.keys({ end: [now + 1], limit: PUSH_WORK_PER_STEP }));

/**
 * Finds the next recipients of notifications about a message: adds pushes to the outbox, and notes
 * the message for mails. The result and the position of the next step are one commit, so a crash
 * neither repeats nor omits anybody.
 */
export function step(tx: RealmTransaction, key: WorkKey, settings: ServerSettings) {
  const row = tx.pushWork.get(key);
  if (row === undefined) return;
  tx.pushWork.remove(key);
  const { work } = row;
  const next = work.type === 'message' ? notify(tx, work, settings) : takeBack(tx, work);
  if (next !== undefined) pushes.add(tx, { ...work, fromUserId: next });
}

/**
 * Notifies the recipients of one step. Returns the user id at which the next step begins, if there
 * is one.
 */
function notify(
  tx: RealmTransaction,
  work: MessageWork,
  settings: ServerSettings,
): number | undefined {
  const message = tx.messages.get([work.messageId]);
  if (message === undefined) return undefined;
  const { fromUserId } = work;
  const recipients: pushes.PushRecipient[] = [];
  const last = fromUserId + PUSH_USER_IDS_PER_STEP - 1;
  const iterator = candidates(tx, message, { work, last, settings })(1);
  let userId = iterator.seek(fromUserId);
  for (let seen = 0; userId !== undefined && seen < PUSH_RECIPIENTS_PER_STEP; seen++) {
    const user = tx.users.get([userId]);
    const { push, mail } = user === undefined ? NOTHING : wishes(tx, user, { message, settings });
    if (push && pushes.note(tx, userId, message.id)) {
      recipients.push({ userId, groupId: groupOf(tx, userId, { message, work }) });
    }
    if (mail && user !== undefined) missedMessages.note(tx, user, message.id);
    userId = iterator.seek(userId + 1);
  }
  pushes.postMessage(tx, { messageId: message.id, recipients });
  return userId ?? (last < tx.lastId('user') ? last + 1 : undefined);
}

/**
 * Returns the users who may want a notification about the message; for pushes, only those with
 * devices. All sets are indexes in the order of user ids, so the cost of an intersection is that of
 * its smallest set.
 */
function candidates(
  tx: RealmTransaction,
  message: MessageRow,
  { work, last, settings }: { work: MessageWork; last: number; settings: ServerSettings },
): IdSet {
  const { userIds, fromUserId } = work;
  const among = (listeners: Listeners) =>
    userIds === null ? concerned(tx, message, { listeners, from: fromUserId }) : listed(userIds);
  const holders = indexed(tx.pushHolders, [], { from: fromUserId });
  const sets = [
    ...(hasPushService(settings) ? [intersection([holders, among(tx.pushListeners)])] : []),
    ...(hasMailService(settings) ? [among(tx.mailListeners)] : []),
  ];
  return within(union(sets), [fromUserId, last]);
}

type Listeners = RealmTransaction['pushListeners'];

function concerned(
  tx: RealmTransaction,
  message: MessageRow,
  { listeners, from }: { listeners: Listeners; from: number },
): IdSet {
  const { id, channelId, recipientId, topic } = message;
  if (channelId === null) return listed(tx.conversations.get([recipientId])?.userIds ?? []);
  const subscribers = indexed(tx.subscriptions, [channelId], { from });
  if (message.hasChannelWildcard) return subscribers;
  return union([
    // Mentioned users are among those with flags.
    holdersFrom(tx, id, from),
    indexed(tx.topicUsers, [channelId, topicKey(topic)], { from }),
    indexed(listeners, [channelId], { from }),
    intersection([indexed(listeners, [ALL_CHANNELS], { from }), subscribers]),
  ]);
}

const NOTHING = { push: false, mail: false };

/**
 * Decides how a user is notified of a message. For a mail, it is only checked whether they are away
 * when the mail is due.
 */
function wishes(
  tx: RealmTransaction,
  user: UserRow,
  { message, settings }: { message: MessageRow; settings: ServerSettings },
) {
  const isPresent = presences.isPresent(tx, user, tx.now);
  const situation = situationOf(tx, user, { message, isPresent });
  const hasDevice = hasPushService(settings) && tx.pushHolders.has([user.id]);
  return {
    push: hasDevice && triggerOf('push', situation) !== null,
    mail:
      hasMailService(settings) && triggerOf('mail', { ...situation, isPresent: false }) !== null,
  };
}

/** Returns the group through which a user is mentioned who is not mentioned by name. */
function groupOf(
  tx: RealmTransaction,
  userId: number,
  { message, work }: { message: MessageRow; work: MessageWork },
): number | null {
  const bits = bitsOf(tx, userId, message.id);
  const user = tx.users.get([userId]);
  if ((bits & FlagBit.mentioned) === 0 || work.mentionedUserIds.includes(userId)) return null;
  if (user === undefined) return null;
  return work.mentionedGroupIds.find((groupId) => isMember(tx, user, groupId)) ?? null;
}

/**
 * Removes a message from the devices of some users who got a notification. Returns the user id at
 * which the next step begins.
 */
function takeBack(tx: RealmTransaction, work: GoneWork): number | undefined {
  const { messageId, fromUserId } = work;
  const message = work.isOutOfSight ? tx.messages.get([messageId]) : undefined;
  const range = { start: [messageId, fromUserId], end: [messageId + 1] };
  const keys = [...tx.pushedUsers.keys({ ...range, limit: PUSH_RECIPIENTS_PER_STEP })];
  const removals: pushes.PushRemoval[] = [];
  for (const [, userId] of keys) {
    const user = tx.users.get([userId]);
    if (message !== undefined && user !== undefined && canRead(tx, user, message)) continue;
    pushes.forget(tx, userId, messageId);
    removals.push({ userId, messageIds: [messageId] });
  }
  pushes.postRemovals(tx, removals);
  const [, lastUserId = 0] = keys.at(-1) ?? [];
  return keys.length < PUSH_RECIPIENTS_PER_STEP ? undefined : lastUserId + 1;
}
