import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { forgetLog, readyCopy } from '../../../src/cluster/snapshots/copies.ts';
import { frozenSource } from '../../../src/cluster/snapshots/frozen-source.ts';
import {
  type RealmToCopy,
  SNAPSHOT_LOG_BYTES,
  SNAPSHOT_MS,
  scheduleSnapshots,
} from '../../../src/cluster/snapshots/schedule.ts';
import { openSnapshots } from '../../../src/cluster/snapshots/snapshots.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { openRealmStore } from '../../../storage/store.ts';
import { allRows } from '../../support/cluster/all-rows.ts';
import { openLoggedRealm } from '../../support/cluster/logged-realm.ts';
import { memoryObjects } from '../../support/files/memory-objects.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { testClock } from '../../support/test-clock.ts';

const REALM = { shard: 3, realmId: 7 };

test('a snapshot is taken at once, each day, and after 4 GiB of the log, and the log forgets', async () => {
  const { clock, realm, schedule, toCopy, taken, forgotten, snapshots } = await world();
  await schedule.look();
  expect(taken).toHaveLength(1);
  await realm.commit(3);
  clock.leap(SNAPSHOT_MS - 1);
  await schedule.look();
  expect(taken).toHaveLength(1);
  expect(forgotten).toEqual([]);
  clock.leap(1);
  await schedule.look();
  expect(taken).toHaveLength(2);
  // Records from the older one on stay.
  expect(forgotten).toEqual([1]);
  toCopy[0] = { ...REALM, source: realm.replica, logBytes: SNAPSHOT_LOG_BYTES - 1 };
  await schedule.look();
  expect(taken).toHaveLength(2);
  await realm.commit(1);
  toCopy[0] = { ...REALM, source: realm.replica, logBytes: SNAPSHOT_LOG_BYTES };
  await schedule.look();
  expect(taken).toHaveLength(3);
  expect(forgotten).toEqual([1, 4]);
  expect(await snapshots.list(REALM)).toHaveLength(2);
});

test('a snapshot that another node has taken counts', async () => {
  const { clock, realm, schedule, snapshots, taken, scratch, objects } = await world();
  await snapshots.take({ ...REALM, source: realm.replica, scratch });
  await schedule.look();
  expect(taken).toHaveLength(0);
  const now = () => clock.now() + SNAPSHOT_MS - 1_000;
  const others = openSnapshots({ objects, cluster: 'c1', node: 'n2', now });
  await others.take({ ...REALM, source: realm.replica, scratch });
  clock.leap(SNAPSHOT_MS);
  await schedule.look();
  expect(taken).toHaveLength(0);
});

test('a failure is told, and the next look tries it again; a look comes by itself', async () => {
  const { clock, schedule, objects, taken, failed } = await world();
  objects.isAway = true;
  await schedule.look();
  expect(failed).toEqual([expect.objectContaining({ message: 'the store of the test is away' })]);
  objects.isAway = false;
  clock.advance(300_000);
  await expect.poll(() => taken.length).toBe(1);
  await schedule.stop();
  clock.leap(SNAPSHOT_MS);
  await schedule.look();
  expect(taken).toHaveLength(1);
});

test('a failure is told once, for all realms that a storage which is away fails, until it has ended', async () => {
  const { realm, schedule, objects, toCopy, taken, failed } = await world();
  const broken = {
    shard: 3,
    realmId: 8,
    source: { copyTo: () => Promise.reject(new Error('no')) },
  };
  toCopy[1] = { ...REALM, realmId: 8, source: realm.replica, logBytes: 0 };
  objects.isAway = true;
  for (let look = 0; look < 3; look++) await schedule.look();
  expect(failed).toHaveLength(1);
  // Another reason is another failure.
  objects.isAway = false;
  toCopy[1] = { ...broken, logBytes: 0 };
  for (let look = 0; look < 3; look++) await schedule.look();
  expect(taken).toHaveLength(1);
  expect(failed).toEqual([expect.anything(), expect.objectContaining({ message: 'no' })]);
  // Once the storage was there, its next absence is told.
  objects.isAway = true;
  for (let look = 0; look < 3; look++) await schedule.look();
  expect(failed).toHaveLength(3);
});

test('the log keeps all for a realm that has fewer than two snapshots, and what is ahead of it', async () => {
  const { snapshots, realm, scratch } = await world();
  const forgotten: number[] = [];
  const log = (last: number) => ({
    last: async () => last,
    forgetBefore: async (sequence: number) => void forgotten.push(sequence),
  });
  const input = { snapshots, shard: 3, realmIds: [7] };
  await snapshots.take({ ...REALM, source: realm.replica, scratch });
  expect(await forgetLog({ ...input, log: log(9) })).toBe(null);
  await realm.commit(1);
  await snapshots.take({ ...REALM, source: realm.replica, scratch });
  expect(await forgetLog({ ...input, realmIds: [7, 8], log: log(9) })).toBe(null);
  expect(await forgetLog({ ...input, log: log(0) })).toBe(null);
  expect(await forgetLog({ ...input, realmIds: [], log: log(9) })).toBe(null);
  expect(forgotten).toEqual([]);
  expect(await forgetLog({ ...input, log: log(9) })).toBe(1);
  expect(forgotten).toEqual([1]);
});

test('a node takes a snapshot where its own copy is missing or too old for the log', async () => {
  const { root, snapshots, realm, scratch } = await world();
  const folder = join(root, 'copy');
  const at = (first: number, last: number) => ({
    last: async () => last,
    record: async (sequence: number) =>
      sequence < first || sequence > last
        ? undefined
        : { sequence, id: 'x', epoch: 1, body: Buffer.alloc(0) },
  });
  const ready = (log: ReturnType<typeof at>) => readyCopy({ ...REALM, snapshots, folder, log });
  expect(await ready(at(1, 5))).toBe('none');
  await snapshots.take({ ...REALM, source: realm.replica, scratch });
  expect(await ready(at(1, 5))).toBe('restored');
  expect(await ready(at(1, 5))).toBe('own');
  expect(await ready(at(1, 1))).toBe('own');
  await realm.commit(6);
  const { place } = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  expect(await ready(at(5, 9))).toBe('restored');
  const copy = openReplica(folder);
  expect(copy.applied()).toEqual(place);
  await copy.close();
  expect(await ready(at(5, 9))).toBe('own');
});

test('an owner who has no follower takes a snapshot of what it writes', async () => {
  const { root, snapshots, scratch } = await world();
  const data = join(root, 'alone');
  const alone = await openLoggedRealm(data, 9);
  await alone.commit(5);
  await alone.close();
  const store = openRealmStore(alone.folder);
  const source = frozenSource(() => store.freeze());
  const taken = await snapshots.take({ shard: 1, realmId: 9, source, scratch });
  await store.close();
  const folder = join(root, 'restored');
  expect(await snapshots.restore(taken, { shard: 1, realmId: 9 }, folder)).toEqual(taken.place);
  expect(taken.place?.sequence).toBe(6);
  expect(await allRows(folder)).toEqual(await allRows(alone.folder));
});

async function world() {
  const root = temporaryFolder();
  const scratch = join(root, 'scratch');
  const realm = await openLoggedRealm(root, REALM.realmId);
  const objects = memoryObjects();
  const clock = testClock();
  const now = () => clock.now();
  const snapshots = openSnapshots({ objects, cluster: 'c1', node: 'n1', now });
  const toCopy: RealmToCopy[] = [{ ...REALM, source: realm.replica, logBytes: 0 }];
  const taken: string[] = [];
  const failed: unknown[] = [];
  const forgotten: number[] = [];
  const schedule = scheduleSnapshots({
    snapshots,
    scratch,
    clock,
    toCopy: () => toCopy,
    realmsOf: () => [REALM.realmId],
    logOf: () => ({
      last: async () => 100,
      forgetBefore: async (sequence) => void forgotten.push(sequence),
    }),
    onTaken: ({ key }) => void taken.push(key),
    onFailed: (error) => void failed.push(error),
  });
  onTestFinished(async () => {
    await schedule.stop();
    await realm.close();
  });
  return {
    root,
    scratch,
    realm,
    objects,
    clock,
    snapshots,
    toCopy,
    taken,
    failed,
    forgotten,
    schedule,
  };
}
