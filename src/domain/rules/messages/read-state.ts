import { FlagBit } from '../../wire/flags.ts';

/**
 * Pairs of message ids, first and last inclusive, the last null while open: [first, last, first,
 * last, …].
 */
export type Intervals = readonly (number | null)[];

export const EVERYTHING: Intervals = [0, null];
export const NOTHING: Intervals = [];

/**
 * The messages of a channel or conversation that a user received, and the id up to which they are
 * read.
 */
export interface ReadState {
  readonly received: Intervals;
  readonly readThrough: number;
}

export function isWithin(intervals: Intervals, id: number): boolean {
  for (let index = 0; index < intervals.length; index += 2) {
    if (id >= (intervals[index] ?? 0) && id <= lastOf(intervals, index)) return true;
  }
  return false;
}

export const isWithinAny = (intervals: Intervals, ids: readonly number[]): boolean =>
  intervals.length > 0 && ids.some((id) => isWithin(intervals, id));

/** Returns the end of the interval that begins at this index of the list. */
export const lastOf = (intervals: Intervals, index: number): number =>
  intervals[index + 1] ?? Number.POSITIVE_INFINITY;

/**
 * Tests whether a message is unread. The flags in `bits` only say what differs from `readThrough`.
 */
export function isUnreadIn(state: ReadState, id: number, bits: number): boolean {
  if (!isWithin(state.received, id)) return false;
  return id > state.readThrough ? (bits & FlagBit.read) === 0 : (bits & FlagBit.unread) !== 0;
}
