import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ABORT, open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import {
  decoderOf,
  LMDB_VERSIONS_TESTED,
  treeStatsOf,
  waitInTransaction,
  withKeyReader,
  withValueReader,
} from '../../storage/lmdb-internals.ts';
import { openDatabase, type TableDatabase } from '../../storage/table.ts';
import { temporaryFolder } from '../support/scratch.ts';

const ROWS: readonly (readonly [key: [string, number], columns: unknown[]])[] = [
  [
    ['a', 1],
    ['one', 1],
  ],
  [
    ['a', 2 ** 40],
    ['x'.repeat(300), 2],
  ],
  [['b', 3], []],
];

async function openRows(): Promise<TableDatabase> {
  return (await openEnvironment()).database;
}

async function openEnvironment() {
  const env = open<unknown, string>({ path: temporaryFolder(), maxDbs: 2 });
  onTestFinished(() => env.close());
  const database = openDatabase(env, { name: 'rows' });
  await env.transaction(() => {
    for (const [key, columns] of ROWS) void database.put([...key], columns);
  });
  return { env, database };
}

test('the installed version of lmdb is one of those that its internals are tested with', () => {
  const path = join(import.meta.dirname, '../../node_modules/lmdb/package.json');
  const { version } = JSON.parse(readFileSync(path, 'utf8'));
  expect(LMDB_VERSIONS_TESTED, 'see storage/lmdb-internals.ts').toContain(version);
});

test('`db` of a database tells of its tree what `getStats` tells', async () => {
  const { env, database } = await openEnvironment();
  env.getStats();
  const { root: _root, free: _free, ...expected } = database.getStats() as Record<string, unknown>;
  expect(expected).toMatchObject(treeStatsOf(database));
  expect(treeStatsOf(database)).toMatchObject({ treeLeafPageCount: 1, entryCount: ROWS.length });
});

test('an iteration asks `readKey` for each key once, with its place in bytes that are written over', async () => {
  const database = await openRows();
  const places = new Set<Uint8Array>();
  const read = (bytes: Uint8Array, start: number, end: number) => {
    places.add(bytes);
    return Buffer.from(bytes.subarray(start, end)).toString('hex');
  };
  const keys = withKeyReader(database, read);
  const expected = ROWS.map(([[text, number]]) => keyBytes(text, number));
  expect([...keys.getKeys({})]).toEqual(expected);
  expect([...keys.getKeys({ reverse: true })]).toEqual(expected.toReversed());
  expect(Array.from(keys.getRange({}), ({ key }) => key)).toEqual(expected);
  expect(places.size).toBe(1);
  // The database that it was made of reads as it did.
  expect([...database.getKeys({})]).toEqual(ROWS.map(([key]) => key));
});

test('an iteration asks the decoder for each value once, with its size, before the next one is read', async () => {
  const database = await openRows();
  const sizes: number[] = [];
  const decoder = decoderOf<unknown[]>(database);
  const values = withValueReader(database, (bytes, size) => {
    sizes.push(size);
    return decoder.decode(bytes, size);
  });
  expect(Array.from(values.getRange({}), ({ value }) => value)).toEqual(
    ROWS.map(([, columns]) => columns),
  );
  expect(sizes).toEqual(ROWS.map(([key]) => database.getBinary(key)?.length));
  expect(database.get(['a', 1])).toEqual(['one', 1]);
});

test('the fast bytes of a value have its length until the next read, and the decoder reads them', async () => {
  const database = await openRows();
  const decoder = decoderOf<unknown[]>(database);
  const first = database.getBinaryFast(['a', 1]);
  expect(first?.length).toBe(database.getBinary(['a', 1])?.length);
  for (const [key, columns] of ROWS) {
    const bytes = database.getBinaryFast(key);
    expect(bytes && decoder.decode(bytes.subarray(0, bytes.length))).toEqual(columns);
  }
  expect(database.getBinaryFast(['c', 1])).toBeUndefined();
});

/**
 * Returns the bytes of a key: a text, an end, and an ordered double of nine bytes, which
 * `storage/key-numbers.ts` reads from the end of a key.
 */
function keyBytes(text: string, number: number): string {
  const double = Buffer.alloc(8);
  double.writeDoubleBE(number);
  const nibbles = `1${double.toString('hex')}0`;
  return `${Buffer.from(text).toString('hex')}00${nibbles}`;
}

test('while a transaction waits, reads see what is committed, and it goes on with what it has written', async () => {
  const { env, database } = await openEnvironment();
  const columnsOf = (name: string) => database.get([name, 3]);
  const namesOf = (options = {}) => Array.from(database.getKeys(options), ([name]) => name);
  const asWritten: unknown[] = [];
  let goOn: () => void = expect.fail;
  let joined: unknown;
  const ended = env.transaction(async () => {
    void database.put(['b', 3], ['changed']);
    await waitInTransaction(env, new Promise<void>((resolve) => (goOn = resolve)));
    asWritten.push(columnsOf('b'));
    void env.childTransaction(() => database.put(['c', 3], ['kept']));
    void env.childTransaction(() => {
      void database.put(['d', 3], ['given up']);
      return ABORT;
    });
    await waitInTransaction(env, turn());
    asWritten.push(columnsOf('c'), columnsOf('d'));
  });
  while (goOn === expect.fail) await turn();
  const transaction = database.useReadTransaction();
  for (let turns = 0; turns < 3; turns++) {
    expect([columnsOf('b'), columnsOf('c')]).toEqual([[], undefined]);
    expect(namesOf({ transaction })).toEqual(['a', 'a', 'b']);
    expect(namesOf({ transaction, start: ['a', 2], values: false })).toEqual(['a', 'b']);
    await turn();
  }
  // A transaction that is asked for meanwhile comes behind this one.
  const next = env.transaction(() => (joined = columnsOf('c')));
  goOn();
  await Promise.all([ended, next]);
  expect(asWritten).toEqual([['changed'], ['kept'], undefined]);
  expect(joined).toEqual(['kept']);
  expect(namesOf()).toEqual(['a', 'a', 'b', 'c']);
  expect(columnsOf('b')).toEqual(['changed']);
  expect(database.get(['b', 3], { transaction })).toEqual([]);
  transaction.done();
});
