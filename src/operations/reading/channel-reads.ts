import type { RealmTransaction } from '../../../storage/transaction.ts';
import { UNREAD_MESSAGES_MAX } from '../../domain/limits/messages.ts';
import { isUnreadIn, isWithin } from '../../domain/rules/messages/read-state.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { flaggedIds, idsWithOwnBits, ownBitsOf } from '../indexes/flag-reads.ts';
import { AFTER_LAST_ID } from '../indexes/ids/iterators.ts';
import { type LocatedMessage, readStateOf } from '../indexes/message-access.ts';
import { setFlags } from '../indexes/message-flags.ts';
import { maybeUnread } from '../indexes/read-sets.ts';
import * as pushes from '../posting/pushes.ts';
import { markRead } from './unread.ts';

/**
 * Marks all messages of a channel as read. Returns the newest ids that were unread, as many as a
 * client may know of.
 */
export function readChannel(tx: RealmTransaction, userId: number, channelId: number): number[] {
  const subscription = tx.subscriptions.get([channelId, userId]);
  if (subscription === undefined) return [];
  const { received, readThrough } = subscription;
  const place = { channelId, recipientId: 0, received, readThrough };
  const isHere = (id: number) => tx.channelMessages.has([channelId, id]);
  const isMovedIn = (id: number) => tx.movedInMessages.has([channelId, id]);
  const bitsOf = (id: number) => ownBitsOf(tx, userId, id);

  const unread: number[] = [];
  const moved: LocatedMessage[] = [];
  const iterator = maybeUnread(tx, userId, [place])(-1);
  let id = iterator.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    if (isHere(id)) {
      const row = isMovedIn(id) ? tx.messages.get([id]) : undefined;
      const state = row === undefined ? place : readStateOf(tx, userId, row);
      if (isUnreadIn(state, id, bitsOf(id))) {
        unread.push(id);
        if (row !== undefined) moved.push(row);
      }
    }
    id = iterator.seek(id - 1);
  }
  // These messages are read at the place to which they were sent, so `readThrough` of this channel
  // does not cover them.
  markRead(tx, userId, moved);

  // The new `readThrough` makes both bits redundant.
  for (const messageId of exceptionsTo(tx, userId, readThrough)) {
    // The bits of a message that the user never received are kept: they are a copy of one's own,
    // for its marks.
    if (!isWithin(received, messageId) || !isHere(messageId) || isMovedIn(messageId)) continue;
    const said = bitsOf(messageId) & ~(FlagBit.unread | FlagBit.read);
    setFlags(tx, userId, messageId, said);
  }
  passMovedOut(tx, userId, channelId);
  const now = tx.subscriptions.get([channelId, userId]) ?? subscription;
  tx.subscriptions.put([channelId, userId], { ...now, readThrough: tx.lastId('message') });
  pushes.withdraw(tx, userId, unread);
  return unread;
}

/**
 * Returns the messages whose bits may differ from `readThrough`: those marked unread, and all with
 * bits after it.
 */
function exceptionsTo(tx: RealmTransaction, userId: number, readThrough: number) {
  return new Set([
    ...flaggedIds(tx, userId, FlagBit.unread),
    ...idsWithOwnBits(tx, userId, { low: readThrough + 1 }),
  ]);
}

/**
 * Keeps moved messages unread at their new place, although all that was sent here counts as read.
 */
function passMovedOut(tx: RealmTransaction, userId: number, channelId: number) {
  const subscription = tx.subscriptions.get([channelId, userId]);
  if (subscription === undefined) return;
  const from = {
    start: [channelId, subscription.readThrough + 1],
    end: [channelId, AFTER_LAST_ID],
  };
  for (const [, messageId] of tx.movedOutMessages.keys(from)) {
    const row = tx.messages.get([messageId]);
    if (row === undefined) continue;
    const bits = ownBitsOf(tx, userId, messageId);
    const isUnread = isUnreadIn(readStateOf(tx, userId, row), messageId, bits);
    const said = bits & ~(FlagBit.unread | FlagBit.read);
    setFlags(tx, userId, messageId, isUnread ? said | FlagBit.unread : said);
  }
}
