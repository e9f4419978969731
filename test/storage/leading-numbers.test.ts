import fc from 'fast-check';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, openTable, table } from '../../storage/table.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/scratch.ts';

interface Row {
  readonly a: number | null;
  readonly b: number | null;
  readonly c: number | null;
  readonly text: string;
  readonly d: number;
}
const short = table<readonly [id: number], Row>('short', ['a', 'b', 'c', 'text', 'd']);
/** A row of this length has a head of three bytes. */
const long = table<readonly [id: number], Record<string, number>>(
  'long',
  Array.from({ length: 20 }, (_, index) => `column${index}`),
);

function openEnvironment() {
  const env = open<unknown, string>({ path: temporaryFolder(), maxDbs: 4 });
  onTestFinished(() => env.close());
  return env;
}

const number = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -1, 0.5),
  fc.nat(),
);

test('the first columns are those of the row, whatever numbers they hold', async () => {
  const env = openEnvironment();
  const rows = openTable(openDatabase(env, short), short);
  const list = fc.sample(fc.tuple(number, number, number, fc.string()), {
    numRuns: runs({ few: 100, all: 500 }),
    seed: 4711,
  });
  await env.transaction(() => {
    for (const [id, [a, b, c, text]] of list.entries()) rows.put([id], { a, b, c, text, d: 1 });
  });
  for (const [id, [a, b, c]] of list.entries()) {
    expect(rows.leading([id], 3)).toEqual([a, b, c]);
    expect(rows.leading([id], 1)).toEqual([a]);
  }
  expect(rows.leading([list.length], 3)).toBeUndefined();
});

test('they are read as the transaction has them, or the snapshot, and of long rows', async () => {
  const env = openEnvironment();
  const database = openDatabase(env, long);
  const rows = openTable(database, long);
  const row = (first: number) =>
    Object.fromEntries(long.columns.map((column, index) => [column, first + index]));
  await env.transaction(() => rows.put([1], row(5)));
  const snapshot = env.useReadTransaction();
  const before = openTable(database, long, { seenBy: snapshot });
  let within: unknown;
  await env.transaction(() => {
    rows.put([1], row(300));
    within = rows.leading([1], 4);
  });
  expect(within).toEqual([300, 301, 302, 303]);
  expect(rows.leading([1], 4)).toEqual([300, 301, 302, 303]);
  expect(before.leading([1], 4)).toEqual([5, 6, 7, 8]);
  snapshot.done();
});
