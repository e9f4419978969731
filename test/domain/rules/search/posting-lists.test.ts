import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keptBy,
  ListsWriter,
  listsOf,
  merged,
  noPostings,
  note,
  type Postings,
  packed,
  startedBy,
  unpackInto,
  wholeList,
} from '../../../../src/domain/rules/search/posting-lists.ts';

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
      const writer = new ListsWriter();
      writer.addElsewhere();
      for (const list of lists) expect(writer.add(list)).toBeNull();
      const bytes = writer.taken();
      const [elsewhere, ...all] = listsOf(bytes, [0, 1, 2]);
      expect(elsewhere?.start).toBe(elsewhere?.end);
      // A list without a message takes no bytes, as one that is kept elsewhere.
      const back = all.map((list) => {
        const postings = noPostings();
        unpackInto(postings, list);
        return postings;
      });
      expect(back).toEqual(lists);
      expect(listsOf(bytes, [2])).toEqual(all.slice(1));
      expect(listsOf(bytes, [1, 3])).toEqual(all.slice(0, 1));
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
        runMasks: lists.flatMap(({ runMasks }) => runMasks),
      };
      const masks = new Map<number, number>();
      for (const [index, id] of all.ids.entries()) {
        masks.set(id, (masks.get(id) ?? 0) | (all.runMasks[index] ?? 0));
      }
      const ids = [...masks.keys()].sort((one, other) => one - other);
      const one = { ids, runMasks: ids.map((id) => masks.get(id)) };
      expect(merged(all)).toEqual(one);
      const { bytes, messages } = together(lists);
      expect(messages).toBe(ids.length);
      const back = noPostings();
      for (const list of listsOf(bytes, [0])) unpackInto(back, list);
      expect(back).toEqual(one);
    }),
  );
});

function together(lists: readonly Postings[]) {
  const writer = new ListsWriter();
  const { messages } = writer.addTogether(lists.map((list) => wholeList(packed(list))));
  return { messages, bytes: writer.taken() };
}

test('parts of a list that follow one another have the bytes of the list together', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 4 }), (parts) => {
      const all = parts.flat();
      const inOrder = [...new Map(all.map((each) => [each.id, each])).values()].sort(
        (one, other) => one.id - other.id,
      );
      const rest = [...inOrder];
      const lists = parts.map(({ length }) => listOf(rest.splice(0, length)));
      const writer = new ListsWriter();
      writer.add(listOf(inOrder));
      expect(together(lists)).toEqual({ messages: inOrder.length, bytes: writer.taken() });
    }),
  );
});

const listing = (lists: readonly Said[], runsAfter: number | null) => ({
  lists: lists.map((messages) => wholeList(packed(listOf(messages)))),
  runsAfter,
});

test('what is in one of some lists and in one of others is kept, whatever the ids', () => {
  const some = fc.array(said, { maxLength: 3 });
  fc.assert(
    fc.property(some, some, (ones, others) => {
      const kept = new Set(keptBy(startedBy(listing(ones, null)), listing(others, null)).ids);
      const idsOf = (lists: readonly Said[]) => new Set(lists.flat().map(({ id }) => id));
      const [started, wanted] = [idsOf(ones), idsOf(others)];
      // Messages that lie far apart may be taken for one another, messages of one segment never.
      const slots = new Set(Array.from(wanted, (id) => id % 65_536));
      for (const id of started) {
        if (wanted.has(id)) expect(kept).toContain(id);
        else if (!slots.has(id % 65_536)) expect(kept).not.toContain(id);
      }
      for (const id of kept) expect(started).toContain(id);
    }),
  );
});

test('one term follows another where it is so many runs later, whatever the runs', () => {
  fc.assert(
    fc.property(said, said, fc.nat(70), (some, others, runs) => {
      const found = keptBy(startedBy(listing([some], 0)), listing([others], runs)).ids;
      for (const one of some) {
        const other = others.find(({ id }) => id === one.id);
        const isThere = one.runs.some((run) => run >= 0 && other?.runs.includes(run + runs));
        if (isThere) expect(found).toContain(one.id);
      }
    }),
  );
  const followed = (one: readonly [run: number, at: number], other: readonly [number, number]) => {
    const at = ([run, runsAfter]: readonly [number, number]) =>
      listing([[{ id: 1, runs: [run] }]], runsAfter);
    return keptBy(startedBy(at(one)), at(other)).ids;
  };
  expect(followed([5, 0], [6, 1])).toEqual([1]);
  expect(followed([31, 0], [32, 1])).toEqual([1]);
  // The shorter list may be of a later word.
  expect(followed([6, 1], [5, 0])).toEqual([1]);
  expect(followed([32, 32], [1, 1])).toEqual([1]);
  expect(followed([5, 0], [7, 1])).toEqual([]);
  expect(followed([5, 0], [-1, 1])).toEqual([]);
  expect(followed([-1, 0], [0, 1])).toEqual([]);
});
