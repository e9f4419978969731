import { ascending } from '../domain/ascending.ts';
import { FlagBit, type IndexedFlagBit } from '../domain/flags.ts';
import * as crowds from './crowds.ts';
import type { Reads } from './groups.ts';
import { ascendingIds, type IdSet, indexed, type Meter, union } from './id-walks.ts';

/**
 * Who has which flags of a message. Most is nowhere: that a message is unread follows from how far its reader is. What is
 * stored is a row for somebody and a message, and for those whom a group mentions what their crowd says.
 */

/** What is stored for one user alone: all but the mentions by groups. Whatever is said of reading is here. */
export const ownBitsOf = (tx: Reads, userId: number, messageId: number): number =>
  tx.messageFlags.get([userId, messageId])?.bits ?? 0;

/** All that is stored. */
export const bitsOf = (tx: Reads, userId: number, messageId: number): number =>
  ownBitsOf(tx, userId, messageId) |
  (crowds.isMentioned(tx, userId, messageId) ? FlagBit.mentioned : 0);

/** Those with bits of their own, ascending. */
export const ownHolders = (tx: Reads, messageId: number): number[] =>
  Array.from(tx.flagHolders.keysUnder([messageId]), ([, userId]) => userId);

/** Those with any, from a number on. */
export const holdersFrom = (tx: Reads, messageId: number, from: number): IdSet =>
  union([
    indexed(tx.flagHolders, [messageId], { from }),
    ...crowds.peopleOf(tx, messageId).map((userIds) => ascendingIds(userIds)),
  ]);

/** Users with any of the messages flagged, ascending. */
export function holders(tx: Reads, rows: readonly { readonly id: number }[]): number[] {
  const ids = new Set<number>();
  for (const { id } of rows) {
    for (const userId of ownHolders(tx, id)) ids.add(userId);
    for (const userIds of crowds.peopleOf(tx, id)) for (const userId of userIds) ids.add(userId);
  }
  return [...ids].sort(ascending);
}

/** The messages that a user has with a flag. */
export const flagged = (
  tx: Reads,
  userId: number,
  bit: Exclude<IndexedFlagBit, typeof FlagBit.mentioned>,
  options: { readonly meter?: Meter | undefined } = {},
): IdSet => indexed(tx.flaggedMessages, [userId, bit], options);

/** Those that mention them, by name or by a group. */
export const mentioning = (tx: Reads, userId: number): IdSet =>
  union([
    indexed(tx.flaggedMessages, [userId, FlagBit.mentioned]),
    ...crowds.ofUser(tx, userId).map((crowdId) => indexed(tx.crowdMessages, [crowdId])),
  ]);

/** Bits of all messages from `low` to before `high` that have any for a user. */
export function bitsBetween(
  tx: Reads,
  userId: number,
  { low, high }: { readonly low: number; readonly high: number },
): Map<number, number> {
  const bits = new Map<number, number>();
  const range = { start: [userId, low], end: [userId, high] };
  for (const [[, id], own] of tx.messageFlags.range(range)) bits.set(id, own.bits);
  for (const crowdId of crowds.ofUser(tx, userId)) {
    for (const [, id] of tx.crowdMessages.keys({ start: [crowdId, low], end: [crowdId, high] })) {
      bits.set(id, (bits.get(id) ?? 0) | FlagBit.mentioned);
    }
  }
  return bits;
}
