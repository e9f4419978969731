import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { isUnreadIn, isWithin, type ReadState } from '../../domain/rules/messages/read-state.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import type { Reads } from '../access/groups.ts';
import { ownBitsOf } from '../indexes/flag-reads.ts';
import { indexed, within } from '../indexes/ids/iterators.ts';
import { union } from '../indexes/ids/unions.ts';
import { type LocatedMessage, readStateOf } from '../indexes/message-access.ts';
import { setFlags } from '../indexes/message-flags.ts';
import { hasRows, messagesOf } from '../indexes/read-sets.ts';
import * as pushes from '../posting/pushes.ts';

/** Messages that one operation reads to advance `readThrough`; the next operation continues. */
const ADVANCE_STEPS_MAX = 10_000;

export function isUnread(tx: Reads, userId: number, message: LocatedMessage): boolean {
  const bits = ownBitsOf(tx, userId, message.id);
  return isUnreadIn(readStateOf(tx, userId, message), message.id, bits);
}

/** Marks the received messages as read. Returns the ids that were unread, in order. */
export function markRead(
  tx: RealmTransaction,
  userId: number,
  messages: readonly LocatedMessage[],
): number[] {
  const changed: number[] = [];
  const steps = { left: ADVANCE_STEPS_MAX };
  for (const together of byHome(messages)) {
    const [first] = together;
    if (first === undefined) continue;
    const home = homeOf(first);
    const state = readStateOf(tx, userId, home);
    if (state.received.length === 0) continue;
    const written = new Map<number, number>();
    for (const message of together) {
      const { id } = message;
      const bits = ownBitsOf(tx, userId, id);
      const own = message.homeChannelId === null ? state : readStateOf(tx, userId, message);
      if (written.has(id) || !isUnreadIn(own, id, bits)) continue;
      const said = bits & ~FlagBit.unread;
      written.set(id, id > state.readThrough ? said | FlagBit.read : said);
      changed.push(id);
    }
    // This is needed even if none was unread: the user's own messages are read from the start, and
    // may be next.
    advance(tx, userId, { message: home, state, written, steps });
    for (const [id, bits] of written) setFlags(tx, userId, id, bits);
  }
  pushes.withdraw(tx, userId, changed);
  return changed.sort(ascending);
}

/** Marks the received messages as unread. Returns the ids that were read, in order. */
export function markUnread(
  tx: RealmTransaction,
  userId: number,
  messages: readonly LocatedMessage[],
): number[] {
  const changed: number[] = [];
  for (const message of messages) {
    const state = readStateOf(tx, userId, message);
    const bits = ownBitsOf(tx, userId, message.id);
    if (!isWithin(state.received, message.id) || isUnreadIn(state, message.id, bits)) continue;
    const isRecent = message.id > state.readThrough;
    setFlags(tx, userId, message.id, isRecent ? bits & ~FlagBit.read : bits | FlagBit.unread);
    changed.push(message.id);
  }
  return changed.sort(ascending);
}

/**
 * Advances `readThrough` to the last message before the first unread one, and drops redundant bits.
 * Only remaining bits are written, so reading in order writes no row of flags.
 */
function advance(
  tx: RealmTransaction,
  userId: number,
  {
    message,
    state,
    written,
    steps,
  }: {
    message: LocatedMessage;
    state: ReadState;
    written: Map<number, number>;
    steps: { left: number };
  },
) {
  const from = state.readThrough + 1;
  const { ids, isOwn } = sentTo(tx, userId, message, from);
  const iterator = within(ids, state.received)(1);
  let next = iterator.seek(from);
  while (next !== undefined && steps.left > 0) {
    const bits = written.get(next) ?? ownBitsOf(tx, userId, next);
    if (isOwn(next)) {
      if ((bits & FlagBit.read) === 0) break;
      written.set(next, bits & ~FlagBit.read);
    }
    steps.left -= 1;
    next = iterator.seek(next + 1);
  }
  const readThrough = next === undefined ? tx.lastId('message') : next - 1;
  if (readThrough > state.readThrough) writeReadThrough(tx, userId, message, readThrough);
}

/**
 * Returns the messages that decide how far a channel is read: those sent to it, wherever they are
 * now, that the user also received there.
 */
function sentTo(tx: Reads, userId: number, message: LocatedMessage, from: number) {
  const here = messagesOf(tx, message, { from });
  const { channelId } = message;
  if (channelId === null) return { ids: here, isOwn: () => true };
  const hasGained = hasRows(tx.movedInMessages, channelId);
  const hasLost = hasRows(tx.movedOutMessages, channelId);
  if (!hasGained && !hasLost) return { ids: here, isOwn: () => true };
  return {
    ids: hasLost ? union([here, indexed(tx.movedOutMessages, [channelId], { from })]) : here,
    isOwn(id: number) {
      const isMoved =
        tx.movedOutMessages.has([channelId, id]) || tx.movedInMessages.has([channelId, id]);
      if (!isMoved) return true;
      const row = tx.messages.get([id]);
      if (row === undefined || row.homeChannelId !== channelId) return false;
      const state = readStateOf(tx, userId, row);
      // Messages that begin as read do not hold it up until they are marked unread.
      const bits = ownBitsOf(tx, userId, id);
      return state.received.length > 0 && (id > state.readThrough || (bits & FlagBit.unread) !== 0);
    },
  };
}

function writeReadThrough(
  tx: RealmTransaction,
  userId: number,
  { channelId, recipientId }: LocatedMessage,
  readThrough: number,
) {
  if (channelId === null) {
    tx.userConversations.put([userId, recipientId], { readThrough });
    return;
  }
  const subscription = tx.subscriptions.get([channelId, userId]);
  if (subscription !== undefined) {
    tx.subscriptions.put([channelId, userId], { ...subscription, readThrough });
  }
}

/** Groups messages that are read together: those of one conversation, or sent to one channel. */
function byHome(messages: readonly LocatedMessage[]): Iterable<LocatedMessage[]> {
  const groups = new Map<number, LocatedMessage[]>();
  for (const message of messages) {
    const { channelId } = homeOf(message);
    const key = channelId === null ? message.recipientId : -channelId;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [message]);
    else group.push(message);
  }
  return groups.values();
}

/** The same message as if it had never been moved. */
const homeOf = (message: LocatedMessage): LocatedMessage =>
  message.homeChannelId === null
    ? message
    : { ...message, channelId: message.homeChannelId, homeChannelId: null, arrivedAt: null };
