import type { RealmTransaction } from '../../storage/realm-store.ts';
import { FlagBit } from '../domain/flags.ts';
import { UNREAD_MESSAGES_MAX } from '../domain/limits.ts';
import { isUnreadIn, isWithin } from '../domain/read-state.ts';
import { AFTER_LAST_ID } from './id-walks.ts';
import { setFlags } from './messages.ts';
import { maybeUnread } from './unread.ts';

/**
 * Makes everything that came to a user in a channel read. Gives the ids that were unread: the newest, as many as a client
 * may have been told of.
 */
export function readChannel(tx: RealmTransaction, userId: number, channelId: number): number[] {
  const subscription = tx.subscriptions.get([channelId, userId]);
  if (subscription === undefined) return [];
  const { received, readThrough } = subscription;
  const place = { channelId, recipientId: 0, received, readThrough };
  const isHere = (id: number) => tx.channelMessages.has([channelId, id]);
  const bitsOf = (id: number) => tx.messageFlags.get([userId, id])?.bits ?? 0;

  const unread: number[] = [];
  const walk = maybeUnread(tx, userId, [place])(-1);
  let id = walk.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    if (isUnreadIn(place, id, bitsOf(id)) && isHere(id)) unread.push(id);
    id = walk.seek(id - 1);
  }

  // Once `readThrough` says it all, neither bit says anything more.
  const marked = Array.from(
    tx.flaggedMessages.keysUnder([userId, FlagBit.unread]),
    ([, , messageId]) => messageId,
  );
  const later = Array.from(
    tx.messageFlags.keys({ start: [userId, readThrough + 1], end: [userId, AFTER_LAST_ID] }),
    ([, messageId]) => messageId,
  );
  for (const messageId of new Set([...marked, ...later])) {
    // What never came to the user is kept as it is: a copy of one's own, for its marks.
    if (!isWithin(received, messageId) || !isHere(messageId)) continue;
    const said = bitsOf(messageId) & ~(FlagBit.unread | FlagBit.read);
    setFlags(tx, userId, messageId, said);
  }
  tx.subscriptions.put([channelId, userId], { ...subscription, readThrough: tx.lastId('message') });
  return unread;
}
