import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { committedRows } from '../../../storage/cache/committed-rows.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { makeScratch } from '../../support/scratch.ts';

function openStore() {
  const directory = makeScratch();
  const store = openRealmStore(directory);
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const commit = (...operations: ((tx: RealmTransaction) => unknown)[]) =>
    store.commit(
      () => operations,
      () => 1,
    );
  return { reader: store.reader, commit };
}

/** A row that never changes is not asked for its bytes. */
const NO_BYTES = {
  bytesOf: () => expect.fail('a row that never changes has been asked for its bytes'),
  rowOf: () => expect.fail('a row that never changes has been decoded'),
};

const write = (terms: string) => (tx: RealmTransaction) => tx.searchBlocks.put([1, 0], { terms });

test('what one store keeps of its search index is nothing that another store reads', async () => {
  const [one, other] = [openStore(), openStore()];
  await one.commit(write('apple'));
  expect(one.reader.searchBlocks.get([1, 0])).toEqual({ terms: 'apple' });
  expect(other.reader.searchBlocks.get([1, 0])).toBeUndefined();
  await other.commit(write('pear'));
  expect(other.reader.searchBlocks.get([1, 0])).toEqual({ terms: 'pear' });
  expect(one.reader.searchBlocks.get([1, 0])).toEqual({ terms: 'apple' });
});

test('what an operation read before it was undone is not kept, as its keys are used again', async () => {
  const { reader, commit } = openStore();
  const undone = (tx: RealmTransaction) => {
    write('apple')(tx);
    expect(tx.searchBlocks.get([1, 0])).toEqual({ terms: 'apple' });
    throw new Error('a bug');
  };
  expect(await commit(undone, (tx) => tx.searchBlocks.get([1, 0]))).toMatchObject([
    { error: expect.any(Error) },
    { reply: undefined },
  ]);
  expect(reader.searchBlocks.get([1, 0])).toBeUndefined();
  await commit(write('pear'), (tx) => expect(tx.searchBlocks.get([1, 0])?.terms).toBe('pear'));
  expect(reader.searchBlocks.get([1, 0])).toEqual({ terms: 'pear' });
});

test('a row is read once, and again when so much else was read that it was forgotten', async () => {
  const { reader, commit } = openStore();
  const numbers = Array.from({ length: 30 }, (_, number) => number);
  await commit((tx) => {
    for (const number of numbers) tx.searchBlocks.put([1, number], { terms: 'x'.repeat(10) });
  });
  const counts = { gets: 0 };
  const kept = committedRows(
    {
      ...reader.searchBlocks,
      get(key) {
        counts.gets += 1;
        return reader.searchBlocks.get(key);
      },
    },
    NO_BYTES,
    { policy: 'immutable', sizeOf: ({ terms }) => terms.length, sizeMax: 150 },
  );
  const read = (wanted: readonly number[]) => {
    for (const number of wanted) expect(kept.get([1, number])?.terms).toHaveLength(10);
    return counts.gets;
  };
  expect(read(numbers.slice(0, 10))).toBe(10);
  expect(read(numbers.slice(0, 10))).toBe(10);
  // There is room for fifteen: the first ten stay, and then those that were read lately.
  expect(read([...numbers.slice(10, 15), ...numbers.slice(0, 5), ...numbers.slice(0, 5)])).toBe(15);
  expect(read(numbers)).toBe(30);
  expect(read(numbers.slice(15))).toBe(30);
  expect(read(numbers.slice(0, 1))).toBe(31);
  expect(kept.get([2, 0])).toBeUndefined();
});
