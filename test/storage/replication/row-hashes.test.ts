import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'msgpackr';
import { expect, onTestFinished, test } from 'vitest';
import type { WriteSet } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import { openRowHashing, type RowHashing } from '../../../storage/replication/row-hashes.ts';
import { openLoggedRealm } from '../../support/cluster/logged-realm.ts';
import { makeScratch } from '../../support/scratch.ts';

function scratch(): string {
  const folder = makeScratch();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function copy(root: string, name: string): { readonly folder: string; readonly replica: Replica } {
  const folder = join(root, name);
  mkdirSync(folder);
  const replica = openReplica(folder);
  onTestFinished(() => replica.close());
  return { folder, replica };
}

function frozen(folder: string): RowHashing {
  const rows = openRowHashing(folder) ?? expect.fail('no store');
  rows.freeze();
  return rows;
}

/** Hashes all rows, and lets go of them. */
async function hashesIn(rows: RowHashing) {
  for (;;) {
    const hashes = rows.step(1);
    if (hashes === undefined) continue;
    await rows.close();
    return hashes;
  }
}

const place = (sequence: number) => ({ sequence, id: `id ${sequence}`, epoch: 1 });

const rowsOf = (table: string, count: number, length = 20): WriteSet => [
  [
    table,
    Array.from({ length: count }, (_, index) => [
      [index, `key ${index}`],
      encode([`${index}`.padEnd(length, 'x')]),
    ]),
  ],
];

test('a store and its copy have the same hashes, though each has counts of its own', async () => {
  const root = scratch();
  const realm = await openLoggedRealm(root, 1);
  onTestFinished(() => realm.close());
  await realm.commit(5);
  const own = await hashesIn(frozen(realm.folder));
  const other = await hashesIn(frozen(join(root, 'follower')));
  expect(own.rows).toBeGreaterThan(3);
  expect(own.tables.size).toBeGreaterThan(3);
  expect(other).toEqual(own);
});

test.each([
  { what: 'a changed row', writes: [['messages', [[[3, 'key 3'], encode(['other'])]]]] },
  { what: 'a row less', writes: [['messages', [[[7, 'key 7'], null]]]] },
  { what: 'a row more', writes: [['messages', [[[500, 'key'], encode(['more'])]]]] },
] as const)('$what changes the hash of its table, and of no other', async ({ writes }) => {
  const { folder, replica } = copy(scratch(), 'a');
  await replica.apply([...rowsOf('messages', 400), ...rowsOf('topics', 10)], place(1));
  const before = await hashesIn(frozen(folder));
  await replica.apply(writes, place(2));
  const after = await hashesIn(frozen(folder));
  expect(after.whole).not.toBe(before.whole);
  const differing = [...after.tables].filter(([name, hash]) => before.tables.get(name) !== hash);
  expect(differing.map(([name]) => name)).toEqual(['messages']);
});

test('bytes that move from one row to the next are noticed, and long rows count whole', async () => {
  const root = scratch();
  const hashes: string[] = [];
  for (const [index, texts] of [
    ['ab', 'c'],
    ['a', 'bc'],
  ].entries()) {
    const { folder, replica } = copy(root, `short ${index}`);
    const rows = texts.map((text, at) => [[at], encode([text])] as const);
    await replica.apply([['messages', rows]], place(1));
    hashes.push((await hashesIn(frozen(folder))).whole);
  }
  for (const end of ['x', 'y']) {
    const { folder, replica } = copy(root, `long ${end}`);
    const long = encode([`${'-'.repeat(200_000)}${end}`]);
    await replica.apply([['messages', [[[1], long]]]], place(1));
    hashes.push((await hashesIn(frozen(folder))).whole);
  }
  expect(new Set(hashes).size).toBe(4);
});

test('rows are hashed as they were when they were frozen, in short steps, while others come', async () => {
  const root = scratch();
  const [one, two] = [copy(root, 'one'), copy(root, 'two')];
  for (const { replica } of [one, two]) await replica.apply(rowsOf('messages', 3_000), place(4));
  const rows = openRowHashing(one.folder) ?? expect.fail('no store');
  expect(rows.freeze()).toEqual(place(4));
  let steps = 0;
  let hashes = rows.step(0.05);
  for (; hashes === undefined; hashes = rows.step(0.05)) {
    steps += 1;
    await one.replica.apply(rowsOf('messages', 2, 40 + steps), place(4 + steps));
  }
  await rows.close();
  expect(steps).toBeGreaterThan(1);
  expect(hashes).toEqual(await hashesIn(frozen(two.folder)));
  expect(await hashesIn(frozen(one.folder))).not.toEqual(hashes);
});

test('the other opening may end meanwhile, and what is given up leaves the store in order', async () => {
  const { folder, replica } = copy(scratch(), 'a');
  await replica.apply(rowsOf('messages', 2_000), place(1));
  const given = frozen(folder);
  given.step(0.05);
  const rows = frozen(folder);
  await replica.close();
  const hashes = await hashesIn(rows);
  await given.close();
  expect(hashes.rows).toBe(2_000);
  const again = openReplica(folder);
  expect(again.applied()).toEqual(place(1));
  expect(await hashesIn(frozen(folder))).toEqual(hashes);
  await again.close();
  expect(openRowHashing(scratch())).toBeUndefined();
});
