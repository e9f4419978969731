import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AFTER_LAST_ID,
  type Direction,
  type IdSet,
  type Index,
  type Meter,
  without,
} from '../../src/operations/id-walks.ts';

function indexOf(ids: readonly number[]): Index {
  const between = (low: number, high: number) => ids.filter((id) => id >= low && id < high);
  return {
    numbers(_prefix, { low, high, isReverse, limit }) {
      const some = between(low, high);
      return (isReverse ? some.reverse() : some).slice(0, limit);
    },
    countNumbers: (_prefix, { low, high }) => between(low, high).length,
  };
}

function walked(set: IdSet, direction: Direction): number[] {
  const walk = set(direction);
  const found: number[] = [];
  let id = walk.seek(direction === 1 ? 0 : AFTER_LAST_ID);
  for (; id !== undefined; id = walk.seek(id + direction)) found.push(id);
  return found;
}

const difference = (all: readonly number[], excluded: readonly number[], meter?: Meter) =>
  without({ index: indexOf(all), prefix: [1] }, { index: indexOf(excluded), prefix: [2] }, meter);

test('a list without another one is what only the first has, wherever runs of both begin and end', () => {
  const runs = fc.array(fc.tuple(fc.nat(700), fc.boolean(), fc.integer({ min: 1, max: 5 })), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(runs, fc.constantFrom<Direction>(1, -1), (lengths, direction) => {
      const all: number[] = [];
      const excluded: number[] = [];
      let last = 0;
      for (const [length, isExcluded, step] of lengths) {
        for (let index = 0; index < length; index++) {
          last += step;
          all.push(last);
          if (isExcluded) excluded.push(last);
        }
      }
      const left = all.filter((id) => !excluded.includes(id));
      expect(walked(difference(all, excluded), direction)).toEqual(
        direction === 1 ? left : left.reverse(),
      );
    }),
  );
});

test.each([1, -1] as const)('where nearly all is excluded it is counted and not read: %i', (to) => {
  const all = Array.from({ length: 50_000 }, (_, index) => index + 1);
  const excluded = all.filter((id) => id !== 25_000);
  const meter = { reads: 0 };
  expect(walked(difference(all, excluded, meter), to)).toEqual([25_000]);
  expect(meter.reads).toBeLessThan(150);
});
