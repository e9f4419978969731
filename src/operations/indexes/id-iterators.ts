import type { Key } from '../../../storage/key.ts';
import type { TableReader } from '../../../storage/table.ts';
import { ascending } from '../../domain/ascending.ts';
import { type Intervals, lastOf } from '../../domain/rules/messages/read-state.ts';

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

const isBeyond = (id: number, until: number | undefined, direction: Direction) =>
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

/**
 * A further set that contains an intersection, for when its lists go on long without a common id.
 */
export interface FallbackIndex {
  /** Counts the reads of those lists. */
  readonly counter: ReadCounter;
  /** Returns the set once so many reads exceed its cost; null until then. */
  open(reads: number): IdSet | null;
}

/** Reads before the fallback index is asked for, and again after twice as many. */
const READS_BEFORE_FALLBACK = 64;

/**
 * Intersects sets: each iterator leaps to where another one is, so the shortest set decides how
 * long it takes.
 */
export function intersection(sets: readonly IdSet[], fallback?: FallbackIndex): IdSet {
  const [only, ...others] = sets;
  if (only !== undefined && others.length === 0) return only;
  return (direction) => {
    const iterators = sets.map((set) => set(direction));
    const fallBack =
      fallback === undefined ? undefined : fallingBack(iterators, fallback, direction);
    return {
      seek(target, until) {
        let at = target;
        for (
          let agreed = 0, index = 0;
          agreed < iterators.length;
          index = (index + 1) % iterators.length
        ) {
          const id = iterators[index]?.seek(at, until);
          if (id === undefined || isBeyond(id, until, direction)) return id;
          agreed = id === at ? agreed + 1 : 1;
          at = id;
          fallBack?.();
        }
        return iterators.length === 0 ? undefined : at;
      },
    };
  };
}

/** Adds the fallback index to the other iterators when they have cost enough. */
function fallingBack(
  iterators: IdIterator[],
  { counter, open }: FallbackIndex,
  direction: Direction,
) {
  const before = counter.reads;
  let patience = READS_BEFORE_FALLBACK;
  return () => {
    if (counter.reads - before < patience) return;
    patience *= 2;
    const set = open(counter.reads - before);
    if (set === null) return;
    patience = Number.POSITIVE_INFINITY;
    iterators.push(set(direction));
  };
}

/** A list of ids in an index. */
export interface Listing {
  readonly index: Index;
  readonly prefix: Key;
}

/**
 * Subtracts from a list another one, which has only ids of the first. If the other has nearly all
 * of them, most ids are skipped unread: both are equal up to an id that is the n-th of both.
 */
export const without =
  (list: Listing, excluded: Listing, counter?: ReadCounter): IdSet =>
  (direction) => {
    const iterator = indexed(list.index, list.prefix, { counter })(direction);
    const other = indexed(excluded.index, excluded.prefix, { counter })(direction);
    const isReverse = direction === -1;
    function after({ index, prefix }: Listing, from: number, offset: number): number | undefined {
      const [low, high] = isReverse ? [0, from + 1] : [from, AFTER_LAST_ID];
      return index.numbers(prefix, { low, high, isReverse, limit: 1, offset })[0];
    }

    /** Skips to shortly before the first difference: in leaps that grow, and then by halves. */
    function pastEqual(start: number): number {
      let at = start;
      let isGrowing = true;
      for (let leap = LEAP_FIRST; leap >= LEAP_LAST && at > 0 && at < AFTER_LAST_ID; ) {
        if (counter !== undefined) counter.reads += 2;
        const id = after(list, at, leap);
        const isEqual = id !== undefined && id === after(excluded, at, leap);
        if (isEqual) at = id + direction;
        else isGrowing = false;
        leap = isGrowing ? leap * LEAP_GROWTH : leap / 2;
      }
      return at;
    }

    return {
      seek(target, until) {
        let at = target;
        for (let passed = 0; ; ) {
          const id = iterator.seek(at);
          if (id === undefined || isBeyond(id, until, direction)) return id;
          if (other.seek(id) !== id) return id;
          at = id + direction;
          passed += 1;
          if (passed < PASSED_BEFORE_LEAP) continue;
          at = pastEqual(at);
          passed = 0;
        }
      },
    };
  };

const PASSED_BEFORE_LEAP = 32;
const LEAP_FIRST = 64;
const LEAP_GROWTH = 4;
/** Reading so few ids costs less than leaping among them. */
const LEAP_LAST = 16;

/** A set within bounds that is expensive to open. */
export interface Bounded {
  readonly first: number;
  readonly last: number;
  open(): IdSet;
}

/**
 * Merges sets. Each is opened when the iterator reaches it, and not at all if the iterator ends
 * before.
 */
export const lazyUnion =
  (parts: readonly Bounded[]): IdSet =>
  (direction) => {
    const begin = (part: Bounded) => (direction === 1 ? part.first : part.last);
    const end = (part: Bounded) => (direction === 1 ? part.last : part.first);
    const isBefore = (one: number, other: number) => (one - other) * direction < 0;
    const closed = parts.toSorted((one, other) => (begin(one) - begin(other)) * direction);
    let next = 0;
    let open: IdIterator[] = [];

    function nearest(target: number): number | undefined {
      let id: number | undefined;
      let isAnyDone = false;
      for (const iterator of open) {
        const own = iterator.seek(target);
        if (own === undefined) isAnyDone = true;
        else if (id === undefined || isBefore(own, id)) id = own;
      }
      if (isAnyDone) open = open.filter((iterator) => iterator.seek(target) !== undefined);
      return id;
    }

    return {
      seek(target) {
        for (;;) {
          const id = nearest(target);
          const part = closed[next];
          if (part === undefined || (id !== undefined && isBefore(id, begin(part)))) return id;
          next += 1;
          if (!isBefore(end(part), target)) open.push(part.open()(direction));
        }
      },
    };
  };

interface Head {
  readonly iterator: IdIterator;
  id: number;
  /** False if the iterator only knows that it has no id before `id`. */
  isFound: boolean;
}

/** Merges sets: each is read only as far as the others have no sooner id. */
export function union(sets: readonly IdSet[]): IdSet {
  const [only, ...others] = sets;
  if (only !== undefined && others.length === 0) return only;
  return (direction) => {
    let heap: Head[] | undefined;
    return {
      seek(target, until) {
        heap ??= opened(sets, direction, target);
        for (let top = heap[0]; top !== undefined; top = heap[0]) {
          const isAhead = (top.id - target) * direction >= 0;
          if (isAhead && (top.isFound || isBeyond(top.id, until, direction))) return top.id;
          const from = isAhead ? top.id : target;
          const bound = boundOf(heap, { from, until, direction });
          const id = top.iterator.seek(from, bound);
          if (id !== undefined) {
            top.id = id;
            top.isFound = !isBeyond(id, bound, direction);
          } else {
            const last = heap.pop();
            if (last !== undefined && last !== top) heap[0] = last;
          }
          sink(heap, 0, direction);
        }
        return undefined;
      },
    };
  };
}

/**
 * Returns how far the first iterator of a heap needs to read: to where the next one is, or to the
 * caller's bound.
 */
function boundOf(
  [, left, right]: readonly Head[],
  { from, until, direction }: { from: number; until: number | undefined; direction: Direction },
): number | undefined {
  let bound = until;
  if (left !== undefined && !isBeyond(left.id, bound, direction)) bound = left.id;
  if (right !== undefined && !isBeyond(right.id, bound, direction)) bound = right.id;
  return isBeyond(from, bound, direction) ? from : bound;
}

function opened(sets: readonly IdSet[], direction: Direction, target: number): Head[] {
  const heads: Head[] = [];
  for (const set of sets) {
    const iterator = set(direction);
    const id = iterator.seek(target, target);
    if (id !== undefined) heads.push({ iterator, id, isFound: id === target });
  }
  // A sorted list is a heap.
  return heads.sort((one, other) => (one.id - other.id) * direction);
}

/** Moves a head down until none below it comes sooner. */
function sink(heap: Head[], from: number, direction: Direction) {
  const moved = heap[from];
  if (moved === undefined) return;
  let index = from;
  for (;;) {
    let child = 2 * index + 1;
    let sooner = heap[child];
    const right = heap[child + 1];
    if (right !== undefined && sooner !== undefined && (right.id - sooner.id) * direction < 0) {
      sooner = right;
      child += 1;
    }
    if (sooner === undefined || (sooner.id - moved.id) * direction >= 0) break;
    heap[index] = sooner;
    index = child;
  }
  heap[index] = moved;
}
