import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { committedRows } from '../../../storage/cache/committed-rows.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { StoredRows, TableReader } from '../../../storage/table.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { makeScratch } from '../../support/scratch.ts';

interface Row {
  readonly text: string;
}

/** Rows as texts, which are written to the same place whenever they are read. */
function counted(texts: Map<number, string>) {
  const counts = { decoded: 0 };
  const place = Buffer.alloc(100);
  const stored: StoredRows<[number], Row> = {
    bytesOf([id]) {
      const text = texts.get(id);
      if (text === undefined) return undefined;
      const bytes = Buffer.from(text);
      place.set(bytes);
      const { length } = bytes;
      return Object.defineProperty(place, 'length', { value: length, configurable: true });
    },
    rowOf(bytes) {
      counts.decoded += 1;
      return { text: Buffer.from(bytes).toString() };
    },
  };
  const table = {} as TableReader<[number], Row>; // nothing else of it is asked
  return { rows: committedRows(table, stored, 'read-mostly'), counts };
}

test('a row is decoded again exactly when its bytes are others, also of the same length', () => {
  const texts = new Map([
    [1, 'tea'],
    [2, 'coffee'],
  ]);
  const { rows, counts } = counted(texts);
  for (let round = 0; round < 3; round++) {
    expect(rows.get([1])).toEqual({ text: 'tea' });
    expect(rows.get([2])).toEqual({ text: 'coffee' });
  }
  expect(counts.decoded).toBe(2);
  for (const text of ['pea', 'teas', 'te', 'tea']) {
    texts.set(1, text);
    expect(rows.get([1])).toEqual({ text });
    expect(rows.get([1])).toBe(rows.get([1]));
  }
  expect(counts.decoded).toBe(6);
  texts.delete(1);
  expect(rows.get([1])).toBeUndefined();
});

const subscription = (readThrough: number): SubscriptionRow =>
  ({ readThrough, isActive: true, received: [1, null] }) as unknown as SubscriptionRow; // stored as it is

test('a reader of a store sees what was committed, and in an operation that is undone nothing of it after', async () => {
  const directory = makeScratch();
  const store = openRealmStore(directory);
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const commit = (operation: (tx: RealmTransaction) => unknown) =>
    store.commit(
      () => [operation],
      () => 1,
    );
  const seen = () => store.reader.subscriptions.get([1, 2])?.readThrough;
  expect(seen()).toBeUndefined();
  for (const readThrough of [5, 6, 5]) {
    await commit((tx) => tx.subscriptions.put([1, 2], subscription(readThrough)));
    expect(seen()).toBe(readThrough);
  }
  await commit((tx) => {
    tx.subscriptions.put([1, 2], subscription(7));
    seen();
    throw new Error('a bug');
  });
  expect(seen()).toBe(5);
  await commit((tx) => tx.subscriptions.remove([1, 2]));
  expect(seen()).toBeUndefined();
});
