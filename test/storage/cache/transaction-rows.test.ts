import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CachePolicy } from '../../../storage/cache/policy.ts';
import { openTransactionRows } from '../../../storage/cache/transaction-rows.ts';
import type { TableWriter } from '../../../storage/table.ts';

type PairKey = readonly [number, number];
interface Row {
  readonly value: number;
}

/** A table in memory, whose writes can be undone, and that counts its reads. */
function fakeTable() {
  let rows = new Map<string, readonly [PairKey, Row]>();
  let savepoint = rows;
  const counts = { gets: 0, walks: 0 };
  const writer: TableWriter<PairKey, Row> = {
    get(key) {
      counts.gets += 1;
      return rows.get(key.join())?.[1];
    },
    count: () => rows.size,
    leading: () => undefined,
    has: (key) => rows.has(key.join()),
    range: () => rows.values(),
    under: ([first]) => [...rows.values()].filter(([key]) => key[0] === first),
    keys: () => [...rows.values()].map(([key]) => key),
    numbers: () => [...rows.values()].map(([[, last]]) => last),
    numbersWithTexts: () => ({ numbers: [], texts: [] }),
    *keysUnder([first]) {
      counts.walks += 1;
      for (const [key] of rows.values()) if (key[0] === first) yield key;
    },
    put: (key, row) => void rows.set(key.join(), [key, row]),
    remove: (key) => void rows.delete(key.join()),
  };
  return {
    writer,
    counts,
    save() {
      savepoint = new Map(rows);
    },
    undo() {
      rows = new Map(savepoint);
    },
  };
}

const step = fc.oneof(
  fc.record({ op: fc.constant('put'), key: fc.tuple(fc.nat(3), fc.nat(3)), value: fc.nat() }),
  fc.record({ op: fc.constantFrom('get', 'walk', 'remove'), key: fc.tuple(fc.nat(3), fc.nat(3)) }),
);

test('reads by way of a cache are those of the table, whatever was written and undone', () => {
  const operation = fc.record({ steps: fc.array(step), isUndone: fc.boolean() });
  const policies = fc.constantFrom<CachePolicy[]>('immutable', 'read-mostly', 'write-through');
  fc.assert(
    fc.property(fc.array(operation), policies, (operations, policy) => {
      const { writer, save, undo } = fakeTable();
      const caches = openTransactionRows();
      const cached = caches.cached(writer, policy);
      for (const { steps, isUndone } of operations) {
        save();
        for (const { op, key, ...rest } of steps) {
          if (op === 'put') cached.put(key, { value: 'value' in rest ? rest.value : 0 });
          if (op === 'remove') cached.remove(key);
          expect(cached.get(key)).toEqual(writer.get(key));
          if (op !== 'walk') continue;
          expect([...cached.keysUnder([key[0]])]).toEqual([...writer.keysUnder([key[0]])]);
        }
        if (isUndone) {
          undo();
          caches.takeBack();
        } else caches.keep();
        for (let first = 0; first <= 3; first++) {
          expect([...cached.keysUnder([first])]).toEqual([...writer.keysUnder([first])]);
          for (let second = 0; second <= 3; second++) {
            expect(cached.get([first, second])).toEqual(writer.get([first, second]));
          }
        }
      }
    }),
  );
});

test('a row is read once until it is written, and so is that there is none', () => {
  const { writer, counts } = fakeTable();
  const cached = openTransactionRows().cached(writer, 'read-mostly');
  cached.put([1, 1], { value: 7 });
  for (let n = 0; n < 3; n++) {
    expect(cached.get([1, 1])).toEqual({ value: 7 });
    expect(cached.get([2, 2])).toBeUndefined();
    expect([...cached.keysUnder([1])]).toEqual([[1, 1]]);
  }
  expect(counts).toEqual({ gets: 2, walks: 1 });
});

test('a row that is kept as it is written is not read, until the write is taken back', () => {
  const { writer, counts, save, undo } = fakeTable();
  const caches = openTransactionRows();
  const cached = caches.cached(writer, 'write-through');
  const row = { value: 7 };
  cached.put([1, 1], row);
  caches.keep();
  expect(cached.get([1, 1])).toBe(row);
  save();
  cached.remove([1, 1]);
  expect(cached.get([1, 1])).toBeUndefined();
  expect(counts.gets).toBe(0);
  undo();
  caches.takeBack();
  expect(cached.get([1, 1])).toEqual(row);
  expect(counts.gets).toBe(1);
});

test('rows that weigh more are fewer in memory', () => {
  const { writer, counts } = fakeTable();
  const cached = openTransactionRows().cached(writer, {
    policy: 'read-mostly',
    sizeOf: () => 4_096,
    sizeMax: 16_384,
  });
  const keys = [1, 2, 3, 4, 5].map((id): PairKey => [id, 0]);
  for (const [value, key] of keys.entries()) cached.put(key, { value });
  const read = (from: number, end: number) => {
    for (const key of keys.slice(from, end)) expect(cached.get(key)).toEqual(writer.get(key));
    return counts.gets;
  };
  // Half of them are of the test itself.
  expect(read(0, 2)).toBe(4);
  expect(read(0, 2)).toBe(6);
  expect(read(2, 5)).toBe(12);
  expect(read(0, 2)).toBe(16);
});

test('what is read again and again stays, however many rows are read besides; those go', () => {
  const { writer, counts } = fakeTable();
  const cached = openTransactionRows().cached(writer, 'read-mostly');
  for (let n = 0; n < 40_000; n++) {
    cached.get([1, 1]);
    cached.get([2, n]);
  }
  expect(counts.gets).toBe(40_001);
  cached.get([2, 0]);
  expect(counts.gets).toBe(40_002);
});
