import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSnapshots } from '../../../src/cluster/snapshots/snapshots.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { allRows } from '../../support/cluster/all-rows.ts';
import { openLoggedRealm } from '../../support/cluster/logged-realm.ts';
import { memoryObjects } from '../../support/files/memory-objects.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const REALM = { shard: 3, realmId: 7 };

test('a snapshot is a store that reads on from the log, and has what its source has', async () => {
  const { root, realm, snapshots, scratch } = await world();
  await realm.commit(20);
  const taken = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  expect(taken).toMatchObject({ shard: 3, realm: 7, place: realm.records.at(-1)?.place });
  expect(readdirSync(scratch)).toEqual([]);
  await realm.commit(20);
  const folder = join(root, 'restored');
  const newest = await snapshots.newest(REALM);
  if (newest === undefined) return expect.fail('there is one');
  const place = await snapshots.restore(newest, REALM, folder);
  expect(place).toEqual(taken.place);
  const replica = openReplica(folder);
  for (const { writes, place } of realm.records.slice(taken.place?.sequence)) {
    await replica.apply(writes, place);
  }
  await replica.close();
  await realm.close();
  expect(await allRows(folder)).toEqual(await allRows(join(root, 'follower')));
});

test('a snapshot that is taken while the store is written is of one moment', async () => {
  const { root, realm, snapshots, scratch } = await world();
  await realm.commit(50);
  const [taken] = await Promise.all([
    snapshots.take({ ...REALM, source: realm.replica, scratch }),
    realm.commit(50),
  ]);
  const folder = join(root, 'restored');
  await snapshots.restore(taken, REALM, folder);
  const replica = openReplica(folder);
  const sequence = replica.applied()?.sequence ?? 0;
  expect(replica.reader.counters.get(['counters'])?.message ?? 0).toBe(sequence - 1);
  await replica.close();
});

test('the newest two stay, and what a node left that ended goes after a day', async () => {
  const { realm, snapshots, scratch, objects } = await world();
  const take = async () => {
    await realm.commit(1);
    return await snapshots.take({ ...REALM, source: realm.replica, scratch });
  };
  const taken = [await take(), await take(), await take(), await take()];
  const other = { shard: 3, realmId: 77 };
  const left = `clusters/c1/snapshots/3/7/000000000000001-left.mdb`;
  objects.objects.set(left, { bytes: Buffer.alloc(1), storedAt: Date.now() - 90_000_000 });
  expect(await snapshots.forgetOlder(REALM)).toBe(2);
  expect(await snapshots.forgetOlder(other)).toBe(0);
  const listed = await snapshots.list(REALM);
  expect(listed.map(({ key }) => key)).toEqual([taken[3]?.key, taken[2]?.key]);
  expect(objects.objects.size).toBe(4);
  expect(await snapshots.realms(3)).toEqual([7]);
  expect(await snapshots.realms(33)).toEqual([]);
  expect(await snapshots.newest(other)).toBe(undefined);
});

test.each([
  { what: 'cut off', change: (bytes: Buffer) => bytes.subarray(0, -1), says: /not \d+/ },
  { what: 'too long', change: (bytes: Buffer) => Buffer.concat([bytes, bytes]), says: /or more/ },
  { what: 'changed', change: changed, says: /its bytes have changed/ },
  { what: 'gone', change: () => undefined, says: /its store is missing/ },
])('a store that is $what is refused, and nothing is there', async ({ change, says }) => {
  const { root, realm, snapshots, scratch, objects } = await world();
  const taken = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  const key = `clusters/c1/snapshots/${taken.store}`;
  const bytes = change(objects.objects.get(key)?.bytes ?? Buffer.alloc(0));
  if (bytes === undefined) objects.objects.delete(key);
  else objects.objects.set(key, { bytes, storedAt: 0 });
  await expect(snapshots.restore(taken, REALM, join(root, 'restored'))).rejects.toThrow(says);
  expect(readdirSync(root).sort()).toEqual(['follower', 'owner', 'scratch']);
});

test('a description that is torn is no snapshot, and an older one is found', async () => {
  const { realm, snapshots, scratch, objects } = await world();
  const first = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  await realm.commit(1);
  const second = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  const stored = objects.objects.get(second.key);
  if (stored === undefined) return expect.fail('it is stored');
  const text = stored.bytes.toString().replace('"shard":3', '"shard":4');
  objects.objects.set(second.key, { ...stored, bytes: Buffer.from(text) });
  expect(await snapshots.newest(REALM)).toEqual(first);
});

test('a snapshot of another cluster, shard or realm is refused, as is a folder with content', async () => {
  const { root, realm, snapshots, scratch, objects } = await world();
  const taken = await snapshots.take({ ...REALM, source: realm.replica, scratch });
  const folder = join(root, 'restored');
  const others = openSnapshots({ objects, cluster: 'c2', node: 'n', now: Date.now });
  await expect(others.restore(taken, REALM, folder)).rejects.toThrow(/of cluster c1, not of c2/);
  const wrong = { shard: 3, realmId: 8 };
  await expect(snapshots.restore(taken, wrong, folder)).rejects.toThrow(/of realm 7 in shard 3/);
  await expect(snapshots.restore({ ...taken, last_event_id: 99 }, REALM, folder)).rejects.toThrow(
    /not the one that it describes/,
  );
  expect(existsSync(folder)).toBe(false);
  await expect(snapshots.restore(taken, REALM, root)).rejects.toThrow(/is not empty/);
  expect(await others.newest(REALM)).toBe(undefined);
});

test('a store of objects that is away leaves no snapshot, and no copy', async () => {
  const { realm, snapshots, scratch, objects } = await world();
  for (const requests of [0, 1]) {
    objects.isAway = requests;
    await expect(snapshots.take({ ...REALM, source: realm.replica, scratch })).rejects.toThrow(
      /is away/,
    );
    objects.isAway = false;
    expect(await snapshots.newest(REALM)).toBe(undefined);
    expect(readdirSync(scratch)).toEqual([]);
  }
});

async function world() {
  const root = temporaryFolder();
  const scratch = join(root, 'scratch');
  const realm = await openLoggedRealm(root, REALM.realmId);
  onTestFinished(() => realm.close());
  const objects = memoryObjects();
  const snapshots = openSnapshots({ objects, cluster: 'c1', node: 'n1', now: Date.now });
  return { root, realm, objects, snapshots, scratch };
}

function changed(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  return other;
}
