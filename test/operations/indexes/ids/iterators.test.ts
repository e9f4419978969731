import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intersection } from '../../../../src/operations/indexes/ids/intersections.ts';
import {
  AFTER_LAST_ID,
  ascendingIds,
  type Direction,
  type IdSet,
  type Index,
  indexed,
  type ReadCounter,
  within,
} from '../../../../src/operations/indexes/ids/iterators.ts';
import { lazyUnion, union } from '../../../../src/operations/indexes/ids/unions.ts';
import { without } from '../../../../src/operations/indexes/ids/without.ts';

function indexOf(ids: readonly number[]): Index {
  const between = (low: number, high: number) => ids.filter((id) => id >= low && id < high);
  return {
    numbers(_prefix, { low, high, isReverse, limit, offset = 0 }) {
      const some = between(low, high);
      return (isReverse ? some.reverse() : some).slice(offset, offset + limit);
    },
  };
}

function idsIn(set: IdSet, direction: Direction): number[] {
  const iterator = set(direction);
  const found: number[] = [];
  let id = iterator.seek(direction === 1 ? 0 : AFTER_LAST_ID);
  for (; id !== undefined; id = iterator.seek(id + direction)) found.push(id);
  return found;
}

const difference = (all: readonly number[], excluded: readonly number[], counter?: ReadCounter) =>
  without({ index: indexOf(all), prefix: [1] }, { index: indexOf(excluded), prefix: [2] }, counter);

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
      expect(idsIn(difference(all, excluded), direction)).toEqual(
        direction === 1 ? left : left.reverse(),
      );
    }),
  );
});

test.each([1, -1] as const)('where nearly all is excluded most is not read: %i', (to) => {
  const all = Array.from({ length: 50_000 }, (_, index) => index + 1);
  const excluded = all.filter((id) => id !== 25_000);
  const counter = { reads: 0 };
  expect(idsIn(difference(all, excluded, counter), to)).toEqual([25_000]);
  expect(counter.reads).toBeLessThan(100);
});

test.each([1, -1] as const)('a difference at both ends, and nothing at all: %i', (to) => {
  const all = Array.from({ length: 3000 }, (_, index) => index);
  const ends = to === 1 ? [0, 2999] : [2999, 0];
  expect(idsIn(difference(all, all.slice(1, -1)), to)).toEqual(ends);
  expect(idsIn(difference(all, all), to)).toEqual([]);
  expect(idsIn(difference([], []), to)).toEqual([]);
});

const ids = fc.uniqueArray(fc.nat(4000), { maxLength: 1500 }).map((list) => list.sort(byNumber));
const byNumber = (one: number, other: number) => one - other;
const ordered = (list: readonly number[], direction: Direction) =>
  list.toSorted((one, other) => (one - other) * direction);

test('an intersection is what all lists have, whenever the fallback index opens, and what that costs', () => {
  fc.assert(
    fc.property(
      fc.array(ids, { minLength: 2, maxLength: 3 }),
      fc.constantFrom<Direction>(1, -1),
      fc.nat(200),
      (lists, direction, price) => {
        const counter = { reads: 0 };
        const sets = lists.map((list) => indexed(indexOf(list), [1], { counter }));
        const common = lists.reduce((one, other) => one.filter((id) => other.includes(id)));
        let asked = 0;
        const fallback = {
          counter,
          open(reads: number) {
            asked += 1;
            expect(reads).toBeLessThanOrEqual(counter.reads);
            return reads < price ? null : ascendingIds([...common, 4001]);
          },
        };
        expect(idsIn(intersection(sets, fallback), direction)).toEqual(ordered(common, direction));
        expect(asked).toBeLessThanOrEqual(8);
      },
    ),
  );
});

test.each([1, -1] as const)('lists that never meet end with the fallback index: %i', (to) => {
  const runs = (first: number) =>
    Array.from(
      { length: 20_000 },
      (_, index) => 40 * Math.floor(index / 10) + (index % 10) + first,
    );
  const [one, other] = [indexOf(runs(1)), indexOf(runs(21))];
  const read = (fallback?: IdSet) => {
    const counter = { reads: 0 };
    const sets = [indexed(one, [1], { counter }), indexed(other, [1], { counter })];
    const open = () => fallback ?? null;
    expect(idsIn(intersection(sets, { counter, open }), to)).toEqual([]);
    return counter.reads;
  };
  expect(read()).toBeGreaterThan(250);
  expect(read(ascendingIds([]))).toBeLessThan(100);
});

test('what parts have together is found with the parts opened one by one, from the bounds they have', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(ids, fc.nat(50)), { maxLength: 12 }),
      fc.constantFrom<Direction>(1, -1),
      (parts, direction) => {
        const all = [...new Set(parts.flatMap(([list]) => list))].sort(byNumber);
        const bounded = parts.map(([list, slack]) => ({
          first: (list[0] ?? 0) - slack,
          last: (list.at(-1) ?? 0) + slack,
          open: () => indexed(indexOf(list), [1]),
        }));
        expect(idsIn(lazyUnion(bounded), direction)).toEqual(ordered(all, direction));
        expect(idsIn(union(bounded.map(({ open }) => open())), direction)).toEqual(
          ordered(all, direction),
        );
      },
    ),
    { numRuns: 60 },
  );
});

/** Sets in the combinations that searches make, with the ids that they hold. */
const joined = fc
  .array(ids, { minLength: 6, maxLength: 6 })
  .chain((lists) => fc.tuple(fc.constant(lists), fc.nat(4000), fc.nat(4000)))
  .map(([lists, one, other]) => {
    const [a = [], b = [], c = [], d = [], e = [], f = []] = lists;
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    const set = (list: readonly number[]) => indexed(indexOf(list), [1]);
    const part = d.filter((_, index) => index % 3 > 0);
    const sets = [
      intersection([set(a), set(b)]),
      within(union([set(c), intersection([set(a), set(f)])]), [first, last]),
      difference(d, part),
      ascendingIds(e),
    ];
    const held = [
      a.filter((id) => b.includes(id)),
      [...c, ...a.filter((id) => f.includes(id))].filter((id) => id >= first && id <= last),
      d.filter((id) => !part.includes(id)),
      e,
    ];
    return { sets, held, all: [...new Set(held.flat())].sort(byNumber) };
  });

test('what is joined of sets that are joined themselves is what they hold together', () => {
  fc.assert(
    fc.property(joined, fc.constantFrom<Direction>(1, -1), ({ sets, all }, direction) => {
      expect(idsIn(union(sets), direction)).toEqual(ordered(all, direction));
    }),
    { numRuns: 60 },
  );
});

test('who wants nothing beyond an id is given what comes first up to it, or nothing farther than that', () => {
  const steps = fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      joined,
      fc.constantFrom<Direction>(1, -1),
      steps,
      ({ sets, held, all }, direction, seeks) => {
        for (const [set, list] of [
          ...sets.map((one, n) => [one, held[n] ?? []] as const),
          [union(sets), all] as const,
        ]) {
          const iterator = set(direction);
          let target = direction === 1 ? 0 : 4000;
          for (const [step, span] of seeks) {
            target += step * direction;
            const until = target + span * direction;
            const [first] = ordered(list, direction).filter((id) => (id - target) * direction >= 0);
            const id = iterator.seek(target, until);
            if (first !== undefined && (first - until) * direction <= 0) expect(id).toBe(first);
            else if (id === undefined) expect(first).toBeUndefined();
            else {
              expect((id - until) * direction).toBeGreaterThan(0);
              if (first !== undefined) expect((id - first) * direction).toBeLessThanOrEqual(0);
            }
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test.each([1, -1] as const)(
  'lists that hardly meet are looked into no farther than was asked: %i',
  (to) => {
    const many = Array.from({ length: 20_000 }, (_, index) => index);
    const counter = { reads: 0 };
    const runs = (first: number) =>
      indexed(indexOf(many.filter((id) => id % 40 >= first && id % 40 < first + 10)), [1], {
        counter,
      });
    const iterator = union([indexed(indexOf(many), [1]), intersection([runs(0), runs(20)])])(to);
    for (let n = 0, id = to === 1 ? 0 : 19_999; n < 100; n++, id += to)
      expect(iterator.seek(id)).toBe(id);
    expect(counter.reads).toBeLessThan(50);
  },
);
