import {
  type Direction,
  type IdIterator,
  type IdSet,
  isBeyond,
  type ReadCounter,
} from './iterators.ts';

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
