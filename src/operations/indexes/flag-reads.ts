import type { NumberRange } from '../../../storage/key-numbers.ts';
import { ascending } from '../../domain/ascending.ts';
import { FlagBit, type IndexedFlagBit } from '../../domain/wire/flags.ts';
import type { Reads } from '../access/groups.ts';
import {
  AFTER_LAST_ID,
  ascendingIds,
  type IdSet,
  indexed,
  type ReadCounter,
} from './ids/iterators.ts';
import { union } from './ids/unions.ts';
import * as mentionSets from './mention-sets.ts';

/**
 * Reads the flags of messages. Most flags are not stored: whether a message is unread follows from
 * how far its reader has read. Stored are a row for one user and a message, and the mention sets of
 * groups.
 */

/**
 * Returns the bits stored for one user only: all but the mentions by groups. Bits about reading are
 * always here.
 */
export const ownBitsOf = (tx: Reads, userId: number, messageId: number): number =>
  tx.messageFlags.get([userId, messageId])?.bits ?? 0;

/** Returns all stored bits. */
export const bitsOf = (tx: Reads, userId: number, messageId: number): number =>
  ownBitsOf(tx, userId, messageId) |
  (mentionSets.isMentioned(tx, userId, messageId) ? FlagBit.mentioned : 0);

/** Returns the users with bits of their own, ascending. */
export const ownHolders = (tx: Reads, messageId: number): number[] =>
  Array.from(tx.flagHolders.keysUnder([messageId]), ([, userId]) => userId);

/** Returns the users with any bits, from an id on. */
export const holdersFrom = (tx: Reads, messageId: number, from: number): IdSet =>
  union([
    indexed(tx.flagHolders, [messageId], { from }),
    ...mentionSets.peopleOf(tx, messageId).map((userIds) => ascendingIds(userIds)),
  ]);

/** Returns the bits of all users who have any for a message. */
export function bitsByHolder(tx: Reads, messageId: number): Map<number, number> {
  const bits = new Map<number, number>();
  for (const userId of ownHolders(tx, messageId)) {
    bits.set(userId, ownBitsOf(tx, userId, messageId));
  }
  for (const userIds of mentionSets.peopleOf(tx, messageId)) {
    for (const userId of userIds) bits.set(userId, (bits.get(userId) ?? 0) | FlagBit.mentioned);
  }
  return bits;
}

/** Users with any of the messages flagged, ascending. */
export function holders(tx: Reads, rows: readonly { readonly id: number }[]): number[] {
  const ids = new Set<number>();
  for (const { id } of rows) {
    for (const userId of ownHolders(tx, id)) ids.add(userId);
    for (const userIds of mentionSets.peopleOf(tx, id))
      for (const userId of userIds) ids.add(userId);
  }
  return [...ids].sort(ascending);
}

/** The flags by which messages are listed, except the one that mention sets have as well. */
type OwnFlagBit = Exclude<IndexedFlagBit, typeof FlagBit.mentioned>;

/** Returns the messages that have a flag of a user. */
export const flagged = (
  tx: Reads,
  userId: number,
  bit: OwnFlagBit,
  options: { readonly counter?: ReadCounter | undefined } = {},
): IdSet => indexed(tx.flaggedMessages, [userId, bit], options);

/** Does the same, some at once. */
export const flaggedIds = (
  tx: Reads,
  userId: number,
  bit: OwnFlagBit,
  stretch: Partial<NumberRange> = {},
): number[] => tx.flaggedMessages.numbers([userId, bit], { ...EVERYWHERE, ...stretch });

/** Returns the messages for which a user has bits of their own. */
export const withOwnBits = (
  tx: Reads,
  userId: number,
  options: { readonly counter?: ReadCounter | undefined } = {},
): IdSet => indexed(tx.messageFlags, [userId], options);

/** Does the same, some at once. */
export const idsWithOwnBits = (
  tx: Reads,
  userId: number,
  stretch: Partial<NumberRange> = {},
): number[] => tx.messageFlags.numbers([userId], { ...EVERYWHERE, ...stretch });

const EVERYWHERE: NumberRange = {
  low: 0,
  high: AFTER_LAST_ID,
  isReverse: false,
  limit: Number.POSITIVE_INFINITY,
};

/** Returns the messages that mention the user, by name or by a group. */
export const mentioning = (tx: Reads, userId: number): IdSet =>
  union([
    indexed(tx.flaggedMessages, [userId, FlagBit.mentioned]),
    ...mentionSets.ofUser(tx, userId).map((setId) => indexed(tx.mentionSetMessages, [setId])),
  ]);

/** Returns the bits of all messages from `low` to before `high` that have any for a user. */
export function bitsBetween(
  tx: Reads,
  userId: number,
  { low, high }: { readonly low: number; readonly high: number },
): Map<number, number> {
  const bits = new Map<number, number>();
  const range = { start: [userId, low], end: [userId, high] };
  for (const [[, id], own] of tx.messageFlags.range(range)) bits.set(id, own.bits);
  for (const setId of mentionSets.ofUser(tx, userId)) {
    for (const id of tx.mentionSetMessages.numbers([setId], { ...EVERYWHERE, low, high })) {
      bits.set(id, (bits.get(id) ?? 0) | FlagBit.mentioned);
    }
  }
  return bits;
}

/**
 * Returns a reader that caches which of these messages, in order, have no flags of the user: most
 * have none, and one read finds out for all of them.
 */
export function knowingFlags(
  tx: Reads,
  userId: number,
  rows: readonly { readonly id: number }[],
): Reads {
  const low = rows[0]?.id ?? 0;
  const high = (rows.at(-1)?.id ?? 0) + 1;
  const limit = rows.length + FLAGS_BESIDE;
  const known = (ids: readonly number[]) => {
    // If other messages between them have flags, the read may not have reached the last ones.
    const through = ids.length < limit ? high : (ids.at(-1) ?? low);
    const flagged = new Set(ids);
    return (id: number) => id >= low && id <= through && !flagged.has(id);
  };
  const range = { low, high, isReverse: false, limit };
  const isUnflagged = known(tx.messageFlags.numbers([userId], range));
  const isWithoutSets = known(tx.messageMentionSets.numbers([], range));
  return {
    ...tx,
    messageFlags: {
      ...tx.messageFlags,
      get: (key) =>
        key[0] === userId && isUnflagged(key[1]) ? undefined : tx.messageFlags.get(key),
    },
    messageMentionSets: {
      ...tx.messageMentionSets,
      get: (key) => (isWithoutSets(key[0]) ? undefined : tx.messageMentionSets.get(key)),
    },
  };
}

/**
 * Flags of other messages that may be read in vain, for a page whose messages are far apart: no
 * more than the cache saves.
 */
const FLAGS_BESIDE = 50;
