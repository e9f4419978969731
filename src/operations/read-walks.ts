import type { Key, TableReader } from '../../storage/table.ts';
import { FlagBit } from '../domain/flags.ts';
import type { ReadState } from '../domain/read-state.ts';
import type { Reads } from './groups.ts';
import { type IdSet, indexed, type Meter, union, within } from './id-walks.ts';

/** A channel or a direct conversation as one user reads it. */
export interface Read extends ReadState {
  readonly channelId: number | null;
  readonly recipientId: number;
}

/**
 * Ids among which all unread messages of these places are, and few others: what came after `readThrough`, and what was
 * marked unread. To be looked at with `isUnreadIn`.
 */
export const maybeUnread = (
  tx: Reads,
  userId: number,
  places: readonly Read[],
  meter?: Meter,
): IdSet =>
  union([
    indexed(tx.flaggedMessages, [userId, FlagBit.unread], { meter }),
    ...places.map((place) =>
      within(messagesOf(tx, place, { from: place.readThrough + 1, meter }), place.received),
    ),
    ...departed(tx, userId, meter),
  ]);

/** What was moved from the channels where it came to the user, and may be unread wherever it is. */
function departed(tx: Reads, userId: number, meter: Meter | undefined): IdSet[] {
  const sets: IdSet[] = [];
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    const state = tx.subscriptions.get([channelId, userId]);
    if (state === undefined || !hasRows(tx.departedMessages, channelId)) continue;
    const moved = indexed(tx.departedMessages, [channelId], { from: state.readThrough + 1, meter });
    sets.push(within(moved, state.received));
  }
  return sets;
}

/** Most channels have neither lost nor gained a message. */
export const hasRows = (
  index: { keysUnder: TableReader<Key, object>['keysUnder'] },
  channelId: number,
) => !index.keysUnder([channelId], { limit: 1 })[Symbol.iterator]().next().done;

/** The same for what is read: up to `readThrough`, with a row of flags, or moved here from elsewhere. */
export const maybeRead = (
  tx: Reads,
  userId: number,
  places: readonly Read[],
  meter?: Meter,
): IdSet =>
  union([
    indexed(tx.messageFlags, [userId], { meter }),
    ...places.map((place) => within(messagesOf(tx, place, { meter }), [0, place.readThrough])),
    ...places.flatMap(({ channelId }) =>
      channelId === null ? [] : arrivedIn(tx, channelId, meter),
    ),
  ]);

/** What was moved to a channel: its ids say nothing about who received it there. */
export const arrivedIn = (tx: Reads, channelId: number, meter?: Meter): IdSet[] =>
  hasRows(tx.arrivedMessages, channelId)
    ? [indexed(tx.arrivedMessages, [channelId], { meter })]
    : [];

/** All messages of a channel or conversation. */
export const messagesOf = (
  tx: Reads,
  { channelId, recipientId }: Pick<Read, 'channelId' | 'recipientId'>,
  options: { from?: number; meter?: Meter | undefined } = {},
): IdSet =>
  channelId === null
    ? indexed(tx.directMessages, [recipientId], options)
    : indexed(tx.channelMessages, [channelId], options);
