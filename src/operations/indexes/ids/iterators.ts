import type { Key } from '../../../../storage/key.ts';
import type { TableReader } from '../../../../storage/table.ts';
import { ascending } from '../../../domain/ascending.ts';
import { type Intervals, lastOf } from '../../../domain/rules/messages/read-state.ts';

/** The direction of an iterator: towards newer messages, or towards older ones. */
export type Direction = 1 | -1;

/**
 * Iterates the message ids of one set, in order. `seek` returns the first one at or beyond the
 * target; it may be called repeatedly, and never goes back. So several iterators can be merged or
 * intersected by seeking each to where the others are. A caller that needs no id beyond `until`
 * passes it: if the next id is beyond `until`, the result may be any number beyond `until` that is
 * not farther than it, so that no iterator reads on for ids that are not needed yet.
 */
export interface IdIterator {
  seek(target: number, until?: number): number | undefined;
}

export type IdSet = (direction: Direction) => IdIterator;

/** Tests whether an id is farther than a caller of `seek` looks. */
export const isBeyond = (id: number, until: number | undefined, direction: Direction) =>
  until !== undefined && (id - until) * direction > 0;

/**
 * Counts reads of an index, which cost the time: some two microseconds each, with few ids or many.
 */
export interface ReadCounter {
  reads: number;
}

/**
 * A number beyond every message id, and still an exact one (reference/endpoints.md 2.1: anchor).
 */
export const AFTER_LAST_ID = 10_000_000_000_000_000;

/**
 * Ids in the first read of an index: enough for a page of a few conversations, without wasting time
 * on the others.
 */
const IDS_PER_READ_MIN = 8;
const IDS_PER_READ_MAX = 1024;

export type Index = Pick<TableReader<Key, object>, 'numbers'>;

export interface Indexing {
  readonly from?: number;
  readonly counter?: ReadCounter | undefined;
  /** Ids of the first read, for one who knows how many will be used. */
  readonly first?: number | undefined;
}

/**
 * Iterates the ids at the end of the keys under a prefix. Reads in pieces, so that no cursor stays
 * open between two steps.
 */
export function indexed(
  index: Index,
  prefix: Key,
  { from = 0, counter, first }: Indexing = {},
): IdSet {
  return (direction) => {
    let ids: number[] = [];
    let next = 0;
    let answered = 0;
    let answeredLast = -1;
    const sizeMin = Math.min(Math.max(first ?? 0, IDS_PER_READ_MIN), IDS_PER_READ_MAX);
    let size = sizeMin;
    /** One who knows how many ids will be used mostly needs few more than those. */
    let isAsExpected = first !== undefined;
    let isAtEnd = false;

    function read(target: number) {
      // The next piece is larger if most ids were used, and small if most were skipped.
      if (ids.length > 0) {
        const grown = isAsExpected ? size : Math.min(size * 4, IDS_PER_READ_MAX);
        size = answered * 2 >= ids.length ? grown : sizeMin;
        isAsExpected = false;
      }
      const low = direction === 1 ? Math.max(target, from) : from;
      const high = direction === 1 ? AFTER_LAST_ID : Math.min(target + 1, AFTER_LAST_ID);
      const range = { low, high, isReverse: direction === -1, limit: size };
      ids = low < high ? index.numbers(prefix, range) : [];
      next = 0;
      answered = 0;
      answeredLast = -1;
      isAtEnd = ids.length < size;
      if (counter !== undefined) counter.reads += 1;
    }

    return {
      seek(target) {
        for (;;) {
          for (; next < ids.length; next++) {
            const id = ids[next] ?? 0;
            if ((id - target) * direction < 0) continue;
            if (next !== answeredLast) answered += 1;
            answeredLast = next;
            return id;
          }
          if (isAtEnd) return undefined;
          read(target);
        }
      },
    };
  };
}

/** Makes a set of a short list, in any order. */
export const listed = (ids: Iterable<number>): IdSet => ascendingIds([...ids].sort(ascending));

export const ascendingIds =
  (ids: readonly number[]): IdSet =>
  (direction) => {
    const step = direction;
    let next = direction === 1 ? 0 : ids.length - 1;
    return {
      seek(target) {
        for (; next >= 0 && next < ids.length; next += step) {
          const id = ids[next] ?? 0;
          if ((id - target) * direction >= 0) return id;
        }
        return undefined;
      },
    };
  };

/** Returns the part of a set that lies within intervals. */
export const within =
  (set: IdSet, intervals: Intervals): IdSet =>
  (direction) => {
    const iterator = set(direction);
    return {
      seek(target, until) {
        let next: number | undefined = target;
        while (next !== undefined) {
          const entry = entryOf(intervals, next, direction);
          if (entry === undefined) return undefined;
          const id = iterator.seek(entry.at, until);
          if (id === undefined || (id >= entry.first && id <= entry.last)) return id;
          if (isBeyond(id, until, direction)) return id;
          next = id;
        }
        return undefined;
      },
    };
  };

/** Returns the part of a set whose ids pass a test. */
export const passing =
  (set: IdSet, passes: (id: number) => boolean): IdSet =>
  (direction) => {
    const iterator = set(direction);
    return {
      seek(target, until) {
        for (let at = target; ; ) {
          const id = iterator.seek(at, until);
          if (id === undefined || isBeyond(id, until, direction) || passes(id)) return id;
          at = id + direction;
        }
      },
    };
  };

/** Returns the interval that an iterator is in, or enters next, and where it does. */
function entryOf(intervals: Intervals, target: number, direction: Direction) {
  for (let step = 0; step < intervals.length; step += 2) {
    const index = direction === 1 ? step : intervals.length - 2 - step;
    const first = intervals[index] ?? 0;
    const last = lastOf(intervals, index);
    if (first > last) continue; // joined and left without a message in between
    if (direction === 1 && last >= target) return { first, last, at: Math.max(first, target) };
    if (direction === -1 && first <= target) return { first, last, at: Math.min(last, target) };
  }
  return undefined;
}
