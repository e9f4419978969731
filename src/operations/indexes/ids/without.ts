import type { Key } from '../../../../storage/key.ts';
import {
  AFTER_LAST_ID,
  type IdSet,
  type Index,
  indexed,
  isBeyond,
  type ReadCounter,
} from './iterators.ts';

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
