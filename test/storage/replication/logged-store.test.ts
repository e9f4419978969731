import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openFollowerStore } from '../../../storage/follower-store.ts';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import { NotLogged } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { openRealmStore, type RealmStore } from '../../../storage/store.ts';
import type { Operation } from '../../../storage/transaction.ts';
import { addUser } from '../../support/actors/realm-store.ts';
import { allRows } from '../../support/cluster/all-rows.ts';
import { type CommitList, openCommitList } from '../../support/cluster/commit-list.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const NOW = Date.UTC(2026, 0, 5);

const emit: Operation<number> = (tx) =>
  tx.emit({ event: { type: 'heartbeat' }, audience: { everyone: true } });

const commit = (store: RealmStore, ...operations: readonly Operation<unknown>[]) =>
  store.commit(
    () => operations,
    () => NOW,
  );

function openLogged(path = temporaryFolder(), log = openCommitList()) {
  const store = openRealmStore(path, { log });
  onTestFinished(() => store.close().catch(() => undefined));
  return { store, log, path };
}

/** Follows a log with a new replica, and returns all of its rows. */
async function rowsFollowing({ records }: CommitList): Promise<readonly string[]> {
  const path = temporaryFolder();
  const replica = openReplica(path);
  for (const { writes, place } of records) await replica.apply(writes, place);
  await replica.close();
  return allRows(path);
}

const action = fc.record({
  does: fc.constantFrom('user', 'name', 'remove', 'index', 'number', 'emit', 'end', 'nothing'),
  at: fc.nat(5),
});
const script = fc.record({
  actions: fc.array(action, { maxLength: 6 }),
  /** The number of the action before which it throws. */
  fails: fc.option(fc.nat(6), { nil: Number.POSITIVE_INFINITY, freq: 2 }),
});

const operationOf =
  ({ actions, fails }: typeof script extends fc.Arbitrary<infer Value> ? Value : never) =>
  (tx: Parameters<Operation<unknown>>[0]) => {
    for (const [index, { does, at }] of actions.entries()) {
      if (index === fails) throw new Error(`before action ${index}`);
      const known = tx.channelNames.get([`${at}`])?.channelId ?? 0;
      if (does === 'user') addUser(tx, at, { fullName: `User ${tx.lastId('message')}` });
      if (does === 'name') tx.channelNames.put([`ü ${at}`], { channelId: known + 1 });
      if (does === 'remove') tx.channelNames.remove([`ü ${at}`]);
      if (does === 'index') tx.contentIndex.put([2 ** 40, at, known], {});
      if (does === 'number') tx.nextId('message');
      if (does === 'emit') emit(tx);
      if (does === 'end') tx.endQueue(`${at}`);
    }
  };

test('9: a replica that has applied all records has the rows of the owner, whatever was undone', async () => {
  const { store, log, path } = openLogged();
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 70 }), async (scripts) => {
      const before = log.records.length;
      const outcomes = await commit(store, ...scripts.map(operationOf));
      expect(outcomes).toHaveLength(scripts.length);
      expect(log.records.length - before).toBeLessThanOrEqual(1);
      expect(store.applied()).toEqual(log.records.at(-1)?.place ?? null);
      expect(await rowsFollowing(log)).toEqual(await allRows(path));
    }),
    { numRuns: runs({ few: 10, all: 40 }) },
  );
});

test('a commit is in the log before it can be read, and can be read when it is answered', async () => {
  const { store, log } = openLogged();
  const first = commit(store, emit, emit);
  expect(store.reader.head()).toBe(0);
  await first;
  expect(store.reader.head()).toBe(2);
  expect(log.records.map(({ head, wakeAt }) => ({ head, wakeAt }))).toEqual([
    { head: 2, wakeAt: Number.POSITIVE_INFINITY },
  ]);
  await commit(store, (tx) => {
    tx.wakeAt(NOW + 5);
    tx.wakeAt(NOW + 7);
    emit(tx);
  });
  expect(log.records.at(-1)).toMatchObject({ head: 3, wakeAt: NOW + 5 });
});

test('a commit without writes is not in the log', async () => {
  const { store, log } = openLogged();
  const refused = () => {
    throw new Error('no');
  };
  const [read, refusal, late] = await commit(
    store,
    (tx) => tx.head(),
    refused,
    (tx) => {
      emit(tx);
      throw new Error('late');
    },
  );
  expect([read, refusal, late]).toMatchObject([{ reply: 0 }, {}, {}]);
  expect(log.records).toEqual([]);
  expect(store.applied()).toBeNull();
});

test.each([true, false])(
  'what the log did not take is in no store, and nothing is run after it; is it unknown: %s',
  async (isUnknown) => {
    const { store, log, path } = openLogged();
    await commit(store, emit);
    log.failNext(new NotLogged('gone', { isUnknown }));
    await expect(commit(store, emit)).rejects.toMatchObject({ name: 'NotLogged', isUnknown });
    let isRun = false;
    const next = commit(store, () => {
      isRun = true;
    });
    await expect(next).rejects.toMatchObject({ name: 'NotLogged', isUnknown: false });
    expect(isRun).toBe(false);
    expect(store.reader.head()).toBe(1);
    await store.close();
    const again = openLogged(path);
    expect(again.store.reader.head()).toBe(1);
    expect(again.store.applied()).toEqual({ sequence: 1, id: 'record 1', epoch: 1 });
  },
);

test('an append that fails for any other reason leaves open what became of the commit', async () => {
  const { store, log } = openLogged();
  log.failNext(new Error('no answer'));
  await expect(commit(store, emit)).rejects.toMatchObject({ name: 'NotLogged', isUnknown: true });
});

test('a commit that has become as large as a record takes no more operations', async () => {
  const { store, log } = openLogged();
  const big = 'x'.repeat(1024 * 1024);
  const write: Operation<unknown> = (tx) => addUser(tx, 1, { fullName: big });
  const source = [write, write, write, write, write, write];
  expect(await commit(store, ...source)).toHaveLength(4);
  expect(log.records).toHaveLength(1);
});

test('an operation that is too long for the log is refused, and the others are not', async () => {
  const { store, log, path } = openLogged();
  const big = 'x'.repeat(16 * 1024 * 1024);
  const [before, tooLong, after] = await commit(
    store,
    emit,
    (tx) => {
      for (let id = 1; id <= 5; id++) addUser(tx, id, { fullName: big });
    },
    emit,
  );
  expect([before, after]).toMatchObject([{ reply: 1 }, { reply: 2 }]);
  expect(tooLong).toMatchObject({ error: expect.any(RangeError) });
  expect(await rowsFollowing(log)).toEqual(await allRows(path));
});

test('whoever only reads the store, be it in another process, sees what was applied, and new accounts', async () => {
  const { store, path } = openLogged();
  await commit(store, emit);
  const follower = openFollowerStore(path);
  onTestFinished(() => follower.close());
  const before = follower.reader.accountsVersion();
  expect(store.reader.accountsVersion()).toBe(before);
  await commit(store, emit);
  follower.refresh();
  expect(follower.reader.head()).toBe(2);
  expect(follower.reader.accountsVersion()).toBe(before);
  await commit(store, (tx) => addUser(tx, 7));
  follower.refresh();
  expect(follower.reader.users.get([7])?.id).toBe(7);
  expect(follower.reader.accountsVersion()).toBe(before + 1);
  expect(store.reader.accountsVersion()).toBe(before + 1);
});

test('a store is frozen between two commits, and its bytes are a store of their own without a log', async () => {
  const { store } = openLogged();
  await commit(store, emit);
  const [frozen] = await Promise.all([store.freeze(), commit(store, emit), commit(store, emit)]);
  const head = frozen.reader.head();
  for (let count = 0; count < 20; count++) await commit(store, emit);
  const copy = temporaryFolder();
  await writeFrozen(frozen, copy);
  frozen.close();
  for (const options of [{}, { log: openCommitList() }]) {
    const opened = openRealmStore(copy, options);
    expect(opened.reader.head()).toBe(head);
    await opened.close();
  }
});

async function writeFrozen(frozen: { chunks(): AsyncGenerator<Buffer> }, folder: string) {
  for await (const chunk of frozen.chunks()) appendFileSync(join(folder, STORE_FILE), chunk);
}
