import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import {
  MARKING_MS_MAX,
  MESSAGES_PER_MARKING,
  UNREAD_MESSAGES_MAX,
} from '../../domain/limits/messages.ts';
import { normalizeTopic, topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import { flaggedIds, idsWithOwnBits, ownBitsOf } from '../indexes/flag-reads.ts';
import { intersection } from '../indexes/ids/intersections.ts';
import { AFTER_LAST_ID, indexed } from '../indexes/ids/iterators.ts';
import type { LocatedMessage } from '../indexes/message-access.ts';
import { setFlags } from '../indexes/message-flags.ts';
import { maybeUnread } from '../indexes/read-sets.ts';
import * as pushes from '../posting/pushes.ts';
import { readChannel } from './channel-reads.ts';
import { isUnread, markRead } from './unread.ts';

/** Marks all messages of a channel as read. */
export function markChannel(tx: RealmTransaction, user: UserRow, channelId: number) {
  const { id } = readableChannel(tx, user, channelId);
  const messages = readChannel(tx, user.id, id).sort(ascending);
  if (messages.length > 0) announceRead(tx, user, { messages, all: false });
}

/** Marks the newest messages of a topic as read, as many as a client may know of. */
export function markTopic(
  tx: RealmTransaction,
  user: UserRow,
  { channelId, topic }: { channelId: number; topic: string },
) {
  const channel = readableChannel(tx, user, channelId);
  const key = topicKey(normalizeTopic(topic));
  if (!tx.topics.has([channel.id, key])) throw errors.noSuchTopic(topic);
  const messages = markRead(tx, user.id, unreadInTopic(tx, user, { channel, key }));
  if (messages.length > 0) announceRead(tx, user, { messages, all: false });
}

function unreadInTopic(
  tx: RealmTransaction,
  user: UserRow,
  { channel, key }: { channel: ChannelRow; key: string },
): LocatedMessage[] {
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  const { received = [], readThrough = 0 } = subscription ?? {};
  const { id: channelId, recipientId } = channel;
  const iterator = intersection([
    indexed(tx.topicMessages, [channelId, key]),
    maybeUnread(tx, user.id, [{ channelId, recipientId, received, readThrough }]),
  ])(-1);
  const unread: LocatedMessage[] = [];
  let id = iterator.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    const place = { id, channelId, recipientId, homeChannelId: null, arrivedAt: null };
    // Only moved messages need their row to tell where they are read.
    const found = tx.movedInMessages.has([channelId, id]) ? tx.messages.get([id]) : place;
    if (found !== undefined && isUnread(tx, user.id, found)) unread.push(found);
    id = iterator.seek(id - 1);
  }
  return unread.reverse();
}

function readableChannel(tx: RealmTransaction, user: UserRow, channelId: number): ChannelRow {
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  return channel;
}

/** Announces to the user that messages are read. */
const announceRead = (
  tx: RealmTransaction,
  user: UserRow,
  read: { readonly messages: readonly number[]; readonly all: boolean },
) =>
  tx.emit({
    event: { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', ...read },
    audience: { users: [user.id] },
  });

/**
 * The progress of marking all of a user's messages as read. It is not stored: a repeated request
 * begins again with the rest.
 */
export interface AllRead {
  readonly deadline: number;
  /** Null while there is more to do; false when the time is up. */
  readonly isComplete: boolean | null;
  /** The first message that may still be marked unread by itself. */
  readonly markedFrom: number;
  /** Messages whose bits about reading are to be removed, because `readThrough` covers them. */
  readonly covered: { readonly from: number; readonly end: number } | null;
}

/**
 * Does a step of marking all messages as read. It advances `readThrough`, so it needs no row for
 * each message; those that were marked unread one by one are marked read before, some at a time,
 * each with its event.
 */
export function markAllStep(tx: RealmTransaction, user: UserRow, before?: AllRead): AllRead {
  const { deadline, markedFrom, covered } = before ?? {
    deadline: tx.now + MARKING_MS_MAX,
    markedFrom: 0,
    covered: null,
  };
  if (covered !== null) return forgetStep(tx, user, { deadline, markedFrom, covered });
  const marked = flaggedIds(tx, user.id, FlagBit.unread, {
    low: markedFrom,
    limit: MESSAGES_PER_MARKING + 1,
  });
  const next = marked[MESSAGES_PER_MARKING];
  if (next !== undefined) {
    const isLate = tx.now >= deadline;
    if (!isLate) readMarked(tx, user, marked.slice(0, MESSAGES_PER_MARKING));
    return { deadline, markedFrom: next, covered, isComplete: isLate ? false : null };
  }
  const lowest = readThroughAll(tx, user.id);
  for (const messageId of marked) forget(tx, user.id, messageId, FlagBit.unread);
  pushes.withdrawAll(tx, user.id);
  announceRead(tx, user, { messages: [], all: true });
  const range = { from: lowest + 1, end: tx.lastId('message') + 1 };
  return forgetStep(tx, user, { deadline, markedFrom, covered: range });
}

function readMarked(tx: RealmTransaction, user: UserRow, ids: readonly number[]) {
  const rows = ids.map((id) => tx.messages.get([id])).filter((row) => row !== undefined);
  const messages = markRead(tx, user.id, rows);
  if (messages.length > 0) announceRead(tx, user, { messages, all: false });
}

/** Advances `readThrough` everywhere; returns the lowest former one. */
function readThroughAll(tx: RealmTransaction, userId: number): number {
  const last = tx.lastId('message');
  let lowest = last;
  for (const [, channelId] of [...tx.userChannels.keysUnder([userId])]) {
    const row = tx.subscriptions.get([channelId, userId]);
    if (row === undefined || row.readThrough === last) continue;
    lowest = Math.min(lowest, row.readThrough);
    tx.subscriptions.put([channelId, userId], { ...row, readThrough: last });
  }
  for (const [[, recipientId], row] of [...tx.userConversations.under([userId])]) {
    if (row.readThrough === last) continue;
    lowest = Math.min(lowest, row.readThrough);
    tx.userConversations.put([userId, recipientId], { ...row, readThrough: last });
  }
  return lowest;
}

/**
 * Removes redundant bits. All messages are read by now, so nothing is reported when the time is up.
 */
function forgetStep(
  tx: RealmTransaction,
  user: UserRow,
  {
    covered: { from, end },
    ...rest
  }: Pick<AllRead, 'deadline' | 'markedFrom'> & {
    readonly covered: NonNullable<AllRead['covered']>;
  },
): AllRead {
  const ids = idsWithOwnBits(tx, user.id, { low: from, high: end, limit: MESSAGES_PER_MARKING });
  for (const messageId of ids) forget(tx, user.id, messageId, FlagBit.read);
  const isDone = ids.length < MESSAGES_PER_MARKING || tx.now >= rest.deadline;
  const covered = { from: (ids.at(-1) ?? from) + 1, end };
  return { ...rest, covered, isComplete: isDone ? true : null };
}

/**
 * Clears a bit. A copy that the user never received keeps its bits, which are all that is known of
 * it.
 */
function forget(tx: RealmTransaction, userId: number, messageId: number, bit: number) {
  const bits = ownBitsOf(tx, userId, messageId);
  if ((bits & FlagBit.historical) === 0) setFlags(tx, userId, messageId, bits & ~bit);
}
