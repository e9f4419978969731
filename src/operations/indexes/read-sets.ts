import type { Key } from '../../../storage/key.ts';
import type { TableReader } from '../../../storage/table.ts';
import type { ReadState } from '../../domain/rules/messages/read-state.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import type { Reads } from '../access/groups.ts';
import { flagged, withOwnBits } from './flag-reads.ts';
import { intersection } from './ids/intersections.ts';
import {
  AFTER_LAST_ID,
  type IdSet,
  type Indexing,
  indexed,
  type ReadCounter,
  within,
} from './ids/iterators.ts';
import { union } from './ids/unions.ts';
import type { Listing } from './ids/without.ts';

/** A channel or a direct conversation as one user reads it. */
export interface Read extends ReadState {
  readonly channelId: number | null;
  readonly recipientId: number;
}

export interface ReadOptions {
  readonly counter?: ReadCounter;
  /** Returns lists of messages of a place, each with all messages that the caller needs. */
  readonly listsOf?: (place: Read) => readonly IdSet[] | undefined;
}

/**
 * Returns ids that include all unread messages of these places, and few others: those after
 * `readThrough`, and those marked unread. The caller tests them with `isUnreadIn`.
 */
export const maybeUnread = (
  tx: Reads,
  userId: number,
  places: readonly Read[],
  { counter, listsOf }: ReadOptions = {},
): IdSet =>
  union([
    flagged(tx, userId, FlagBit.unread, { counter }),
    ...places.map((place) => {
      const later = messagesOf(tx, place, { from: place.readThrough + 1, counter });
      return within(intersection([...(listsOf?.(place) ?? []), later]), place.received);
    }),
    ...movedOut(tx, userId, counter),
  ]);

/**
 * Returns messages that the user received and that were moved since; they may be unread wherever
 * they are.
 */
function movedOut(tx: Reads, userId: number, counter: ReadCounter | undefined): IdSet[] {
  const sets: IdSet[] = [];
  if (!hasAnyRow(tx.movedOutMessages)) return sets;
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    if (!hasRows(tx.movedOutMessages, channelId)) continue;
    const state = tx.subscriptions.get([channelId, userId]);
    if (state === undefined) continue;
    const moved = indexed(tx.movedOutMessages, [channelId], {
      from: state.readThrough + 1,
      counter,
    });
    sets.push(within(moved, state.received));
  }
  return sets;
}

/** Tests for any row: most realms have moved no message to another channel. */
export const hasAnyRow = (index: Pick<TableReader<Key, object>, 'keys'>): boolean =>
  !index.keys({ limit: 1 })[Symbol.iterator]().next().done;

/** Tests for rows of a channel: most channels have neither lost nor gained a message. */
export const hasRows = (
  index: Pick<TableReader<Key, object>, 'numbers'>,
  channelId: number,
): boolean => index.numbers([channelId], FIRST_ID).length > 0;

const FIRST_ID = { low: 0, high: AFTER_LAST_ID, isReverse: false, limit: 1 };

/**
 * Does the same for read messages: up to `readThrough`, with a row of flags, or moved here from
 * elsewhere.
 */
export const maybeRead = (
  tx: Reads,
  userId: number,
  places: readonly Read[],
  { counter, listsOf }: ReadOptions = {},
): IdSet =>
  union([
    withOwnBits(tx, userId, { counter }),
    ...places.map((place) => {
      const all = listsOf?.(place) ?? [messagesOf(tx, place, { counter })];
      return within(intersection(all), [0, place.readThrough]);
    }),
    ...places.flatMap(({ channelId }) =>
      channelId === null ? [] : movedInto(tx, channelId, counter),
    ),
  ]);

/** Returns the messages moved to a channel, whose ids do not tell who received them there. */
export const movedInto = (tx: Reads, channelId: number, counter?: ReadCounter): IdSet[] =>
  hasRows(tx.movedInMessages, channelId)
    ? [indexed(tx.movedInMessages, [channelId], { counter })]
    : [];

/** Returns all messages of a channel or conversation. */
export const messagesOf = (
  tx: Reads,
  { channelId, recipientId }: Pick<Read, 'channelId' | 'recipientId'>,
  options: Indexing = {},
): IdSet => {
  const { index, prefix } = listingOf(tx, { channelId, recipientId });
  return indexed(index, prefix, options);
};

/** Returns the list of all messages of a channel or conversation. */
export const listingOf = (
  tx: Reads,
  { channelId, recipientId }: Pick<Read, 'channelId' | 'recipientId'>,
): Listing =>
  channelId === null
    ? { index: tx.directMessages, prefix: [recipientId] }
    : { index: tx.channelMessages, prefix: [channelId] };
