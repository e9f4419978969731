import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  common,
  followed,
  ListsWriter,
  listsOf,
  merged,
  noPostings,
  note,
  type Postings,
  packed,
  rotated,
  unpackInto,
} from '../../src/domain/posting-lists.ts';

/** Messages with the runs that a term is in. */
const said = fc.uniqueArray(
  fc.record({
    id: fc.oneof(fc.nat(300), fc.nat(70_000), fc.integer({ min: 2 ** 40, max: 2 ** 53 - 1 })),
    runs: fc.array(fc.integer({ min: -1, max: 80 }), { minLength: 1, maxLength: 3 }),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;

function listOf(messages: Said): Postings {
  const list = noPostings();
  for (const { id, runs } of messages.toSorted((one, other) => one.id - other.id)) {
    for (const run of runs) note(list, id, run);
  }
  return list;
}

test('a list comes back from its bytes', () => {
  fc.assert(
    fc.property(said, said, (some, others) => {
      const lists = [listOf(some), listOf(others)];
      const back = noPostings();
      const writer = new ListsWriter();
      writer.addElsewhere();
      for (const list of lists) writer.add(packed(list));
      const bytes = writer.taken();
      const [elsewhere, first, second] = listsOf(bytes);
      expect(elsewhere?.start).toBe(elsewhere?.end);
      if (first !== undefined && second !== undefined) {
        unpackInto(back, bytes, second);
        expect(back).toEqual(lists[1]);
        unpackInto(back, bytes, first);
      }
      expect(back.ids).toEqual(lists.toReversed().flatMap(({ ids }) => ids));
      expect(back.places).toEqual(lists.toReversed().flatMap(({ places }) => places));
    }),
  );
});

test('a message and its only place take two bytes where messages lie close', () => {
  expect(packed(listOf([1, 2, 130].map((id) => ({ id, runs: [31] }))))).toHaveLength(7);
  expect(packed(listOf([{ id: 1, runs: [-1] }]))).toHaveLength(2);
  expect(packed(listOf([{ id: 1, runs: [0, 1] }]))).toHaveLength(6);
});

test('lists one after the other become one, near messages and far ones alike', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 4 }), (parts) => {
      const lists = parts.map(listOf);
      const all = {
        ids: lists.flatMap(({ ids }) => ids),
        places: lists.flatMap(({ places }) => places),
      };
      const places = new Map<number, number>();
      for (const [index, id] of all.ids.entries()) {
        places.set(id, (places.get(id) ?? 0) | (all.places[index] ?? 0));
      }
      const ids = [...places.keys()].sort((one, other) => one - other);
      expect(merged(all)).toEqual({ ids, places: ids.map((id) => places.get(id)) });
    }),
  );
});

test('what is in both of two lists', () => {
  expect(common([1, 4, 9], [2, 4, 8, 9, 10])).toEqual([4, 9]);
  expect(common([], [1])).toEqual([]);
  expect(common([3], [])).toEqual([]);
});

test('one term follows another where it is so many runs later, whatever the runs', () => {
  fc.assert(
    fc.property(said, said, fc.nat(70), (some, others, runs) => {
      const found = followed(listOf(some), listOf(others), runs).ids;
      for (const one of some) {
        const other = others.find(({ id }) => id === one.id);
        const isThere = one.runs.some((run) => run >= 0 && other?.runs.includes(run + runs));
        if (isThere) expect(found).toContain(one.id);
      }
    }),
  );
  const list = (run: number) => listOf([{ id: 1, runs: [run] }]);
  expect(followed(list(5), list(6), 1).ids).toEqual([1]);
  expect(followed(list(31), list(32), 1).ids).toEqual([1]);
  expect(followed(list(5), list(7), 1).ids).toEqual([]);
  expect(followed(list(5), list(-1), 1).ids).toEqual([]);
  expect(rotated(1 << 31, 31)).toBe(1);
  expect(rotated(1, 32)).toBe(1);
});
