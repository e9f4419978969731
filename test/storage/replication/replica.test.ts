import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openFollowerStore } from '../../../storage/follower-store.ts';
import type { Key } from '../../../storage/key.ts';
import { StoreTooNew } from '../../../storage/migrations/schema-version.ts';
import type { Place, WriteSet } from '../../../storage/replication/commit-log.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import { SCHEMA_VERSION, TABLES } from '../../../storage/schema.ts';
import { openRealmStore } from '../../../storage/store.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const placeOf = (sequence: number): Place => ({ sequence, id: `id ${sequence}`, epoch: 3 });

/** An encoded row with one column. */
const ROW = Buffer.from([0x91, 0x07]);
const named = (name: string, row: Uint8Array | null = ROW): WriteSet => [
  [TABLES.channelNames.name, [[[name], row]]],
];

function openTested(path = temporaryFolder()): Replica & { readonly path: string } {
  const replica = openReplica(path);
  onTestFinished(() => replica.close().catch(() => undefined));
  return { ...replica, path };
}

test('a new folder is a replica that has applied nothing', async () => {
  const replica = openTested();
  expect(replica.applied()).toBeNull();
  expect(replica.reader.head()).toBe(0);
  expect([...replica.reader.users.range({})]).toEqual([]);
});

test('what was applied can be read at once, and its place is kept', async () => {
  const replica = openTested();
  await replica.apply(named('one'), placeOf(4));
  expect(replica.reader.channelNames.get(['one'])).toEqual({ channelId: 7 });
  expect(replica.applied()).toEqual(placeOf(4));
  await replica.apply(named('one', null), placeOf(9));
  expect(replica.reader.channelNames.get(['one'])).toBeUndefined();
  await replica.apply([], placeOf(10));
  await replica.close();
  expect(openTested(replica.path).applied()).toEqual(placeOf(10));
});

test('of several writes of one key the last one counts', async () => {
  const replica = openTested();
  const rows = [
    [['a'], ROW],
    [['a'], null],
    [['b'], null],
    [['b'], ROW],
  ] as const;
  await replica.apply([[TABLES.channelNames.name, rows]], placeOf(1));
  expect([...replica.reader.channelNames.keys({})]).toEqual([['b']]);
});

test('records that are applied without waiting are all there when the last one is', async () => {
  const replica = openTested();
  const applied = Array.from({ length: 50 }, (_, index) =>
    replica.apply(named(`${index}`), placeOf(index + 1)),
  );
  await applied.at(-1);
  expect(replica.reader.channelNames.count()).toBe(50);
  expect(replica.applied()).toEqual(placeOf(50));
});

test('a record that the store has is not applied again', async () => {
  const replica = openTested();
  await replica.apply(named('one'), placeOf(2));
  for (const sequence of [1, 2]) {
    await expect(replica.apply(named('two'), placeOf(sequence))).rejects.toThrow(
      `record ${sequence} comes behind record 2`,
    );
  }
  expect(replica.reader.channelNames.has(['two'])).toBe(false);
});

const anything = fc.anything({ withBigInt: true, withTypedArray: true, maxDepth: 3 });
const key = fc.array(fc.oneof(fc.string(), fc.integer(), fc.double(), anything), { maxLength: 4 });
const row = fc.oneof(fc.constant(ROW), fc.constant(null), fc.uint8Array(), anything);
const rows = fc.oneof(fc.array(fc.tuple(fc.oneof(key, anything), row)), anything);
const table = fc.oneof(
  fc.constantFrom(...Object.values(TABLES).map(({ name }) => name)),
  fc.string(),
);
const hostile = fc.oneof(fc.array(fc.tuple(table, rows)), anything);

test('8: whatever a record says, it is applied as a whole, or is an error that changes nothing', async () => {
  const replica = openTested();
  let sequence = 1;
  await fc.assert(
    fc.asyncProperty(hostile, async (writes) => {
      const before = replica.applied();
      const count = replica.reader.channelNames.count();
      sequence += 1;
      const made = [...named(`${sequence}`), ...(Array.isArray(writes) ? writes : [writes])];
      try {
        await replica.apply(made as WriteSet, placeOf(sequence));
      } catch (error) {
        expect(error).toMatchObject({ name: 'DamagedRecord' });
        expect(replica.applied()).toEqual(before);
        expect(replica.reader.channelNames.count()).toBe(count);
        return;
      }
      expect(replica.applied()).toEqual(placeOf(sequence));
      expect(replica.reader.channelNames.has([`${sequence}`])).toBe(true);
    }),
    { numRuns: runs({ few: 200, all: 2_000 }) },
  );
});

test.each<readonly [string, Key]>([
  ['a text', ['x'.repeat(1_990)]],
  ['texts', ['ü'.repeat(500), 'ü'.repeat(500)]],
  ['parts', Array.from({ length: 500 }, () => 1.5)],
])('a key that LMDB does not take is an error: too many %s', async (_, tooLong) => {
  const replica = openTested();
  const writes: WriteSet = [...named('one'), [TABLES.channelNames.name, [[tooLong, ROW]]]];
  await expect(replica.apply(writes, placeOf(1))).rejects.toMatchObject({ name: 'DamagedRecord' });
  expect(replica.reader.channelNames.has(['one'])).toBe(false);
  const long: Key = ['x'.repeat(1_900)];
  await replica.apply([[TABLES.channelNames.name, [[long, ROW]]]], placeOf(1));
});

test.each<readonly [string, Partial<Record<keyof Place, unknown>>]>([
  ['a sequence', { sequence: 1.5 }],
  ['an id', { id: '' }],
  ['an epoch', { epoch: -1 }],
])('a place without %s is an error', async (_, wrong) => {
  const replica = openTested();
  const place = { ...placeOf(1), ...wrong } as Place;
  await expect(replica.apply(named('one'), place)).rejects.toThrow('has no place in its log');
});

test('a store of an earlier schema is followed and not migrated, and not written if its rows would not be read', async () => {
  const path = temporaryFolder();
  await openRealmStore(path, { newAs: SCHEMA_VERSION - 1 }).close();
  const log = { append: () => Promise.reject(new Error('nothing is appended')) };
  expect(() => openRealmStore(path, { log })).toThrow(`has schema ${SCHEMA_VERSION - 1}`);
  const replica = openReplica(path);
  expect(replica.schema()).toBe(SCHEMA_VERSION - 1);
  await replica.close();
  expect(() => openReplica(path, { newest: SCHEMA_VERSION - 2 })).toThrow(StoreTooNew);
  await openRealmStore(path).close();
  await openReplica(path).close();
});

test('a record of accounts changes the version of the accounts, and no other does', async () => {
  const replica = openTested();
  const before = replica.reader.accountsVersion();
  await replica.apply(named('one'), placeOf(1));
  expect(replica.reader.accountsVersion()).toBe(before);
  await replica.apply([[TABLES.apiKeys.name, [[['key'], null]]]], placeOf(2));
  expect(replica.reader.accountsVersion()).toBe(before + 1);
});

test('each record of accounts has a version of its own, though others are on their way', async () => {
  const replica = openTested();
  const before = replica.reader.accountsVersion();
  const applied = [1, 2, 3].map((sequence) =>
    replica.apply([[TABLES.apiKeys.name, [[['key'], null]]]], placeOf(sequence)),
  );
  await Promise.all(applied);
  expect(replica.reader.accountsVersion()).toBe(before + 3);
  const follower = openFollowerStore(replica.path);
  onTestFinished(() => follower.close());
  expect(follower.reader.accountsVersion()).toBe(before + 3);
});

test('a copy has the rows and the place of one moment', async () => {
  const replica = openTested();
  const copy = temporaryFolder();
  for (let sequence = 1; sequence <= 20; sequence++) {
    await replica.apply(named(`${sequence}`), placeOf(sequence));
  }
  const copied = replica.copyTo(copy);
  await replica.apply(named('later'), placeOf(21));
  await copied;
  const opened = openTested(copy);
  const { sequence = 0 } = opened.applied() ?? {};
  expect(opened.reader.channelNames.count()).toBe(sequence);
  await opened.close();
  await openRealmStore(copy).close();
});
