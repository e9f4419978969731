import { type Direction, type IdIterator, type IdSet, isBeyond } from './iterators.ts';

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
