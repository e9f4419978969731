import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { packed, unpacked } from '../../../src/cluster/nodes/frames.ts';
import { SNAPSHOT_MS } from '../../../src/cluster/snapshots/schedule.ts';
import { openSnapshots } from '../../../src/cluster/snapshots/snapshots.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { copiesOf } from '../../support/cluster/copies.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
} from '../../support/cluster/nodes.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const REALM = { shard: 0, realmId: 1 };
const DIRECT = { type: 'direct', content: 'hello' };

test('a node without a store takes the newest snapshot and reads on, though the log is shorter', async () => {
  const { cluster, people, a } = await started();
  const { mel, max } = people;
  const before = await a.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await a.stop();
  const { place } = await snapshotFrom(cluster, a.data);
  const again = await cluster.start('a');
  await cluster.owner();
  const after = await again.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'later' });
  await (await again.store.openLog(0)).forgetBefore(place.sequence);
  expect(cluster.log.recordsOf(0)[0]?.sequence).toBe(place.sequence);

  const b = await cluster.start('b');
  await caughtUp(cluster);
  for (const { body } of [before, after]) {
    const got = await b.get(max, `/messages/${body.id}`);
    expect(got.body).toMatchObject({ result: 'success' });
  }
  expect([...again.errors, ...b.errors]).toEqual([]);
  // A copy that the log has gone past is replaced.
  await b.stop();
  const last = await again.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'last' });
  await again.stop();
  const newer = await snapshotFrom(cluster, again.data);
  const third = await cluster.start('a');
  await cluster.owner();
  await third.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'and more' });
  await (await third.store.openLog(0)).forgetBefore(newer.place.sequence);
  const late = await cluster.start('b');
  await caughtUp(cluster);
  expect((await late.get(max, `/messages/${last.body.id}`)).status).toBe(200);
  expect([...third.errors, ...late.errors]).toEqual([]);
});

test('a snapshot of a realm whose number the cluster has not given is not taken', async () => {
  const { cluster, a } = await started();
  await a.stop();
  await snapshotFrom(cluster, a.data);
  const store = cluster.log.openNode('operator');
  await store.values.remove('realm.1');
  const b = await cluster.start('b');
  expect(b.errors).toEqual([]);
  // It reads the log from its start instead.
  expect(cluster.objects.calls.filter((call) => call.includes('.mdb'))).toEqual([
    expect.stringMatching(/^put /),
  ]);
  await store.values.put('realm.1', packed({ is: 'there' }));
  const c = await cluster.start('c');
  await caughtUp(cluster);
  expect(existsSync(join(c.data, 'realms', '1'))).toBe(true);
  expect(cluster.objects.calls.filter((call) => call.includes('.mdb'))).toHaveLength(2);
  const copies = await copiesOf(cluster);
  expect(new Set(copies.values()).size).toBe(1);
  expect(readdirSync(join(c.data, 'realms'))).toEqual(['1']);
});

test('nodes take snapshots of what they follow, and the log is shortened, for a quiet realm too', async () => {
  const { cluster, people, a } = await started();
  await runCommand(a.app.realms, 'realm create', { name: 'quiet' });
  const b = await cluster.start('b');
  await caughtUp(cluster);
  const { mel, max } = people;
  const said = [];
  for (const content of ['one', 'two', 'three']) {
    const { body } = await b.post(mel, '/messages', { ...DIRECT, to: [max.id], content });
    said.push(body.id);
    await caughtUp(cluster);
    // The owner leaves it to the other node.
    await a.app.node?.takeSnapshots();
    await b.app.node?.takeSnapshots();
    cluster.leap(SNAPSHOT_MS);
  }
  const stores = [...cluster.objects.objects.keys()].filter((key) => key.endsWith('.mdb'));
  expect(stores.filter((key) => key.includes('/snapshots/0/1/'))).toHaveLength(2);
  expect(stores.filter((key) => key.includes('/snapshots/0/2/'))).toHaveLength(2);
  const [first] = cluster.log.recordsOf(0);
  const { objects } = cluster;
  const snapshots = openSnapshots({
    objects,
    cluster: await idOf(cluster),
    node: 'x',
    now: Date.now,
  });
  const places = await Promise.all(
    [1, 2].map(
      async (realmId) => (await snapshots.list({ shard: 0, realmId }))[1]?.place?.sequence,
    ),
  );
  expect(first?.sequence).toBe(Math.min(...places.map(Number)));
  expect(first?.sequence).toBeGreaterThan(5);
  expect(readdirSync(join(b.data, 'snapshots'))).toEqual([]);

  // A restart goes on with its own copies, and the log has what comes next.
  await b.stop();
  const calls = cluster.objects.calls.length;
  const again = await cluster.start('b');
  expect(cluster.objects.calls.slice(calls).filter((call) => call.endsWith('.mdb'))).toEqual([]);

  const c = await cluster.start('c');
  await caughtUp(cluster);
  for (const id of said) expect((await c.get(max, `/messages/${id}`)).status).toBe(200);
  await c.app.node?.takeSnapshots();
  expect([...a.errors, ...again.errors, ...c.errors]).toEqual([]);
});

test('a node that is alone takes snapshots of what it writes; a store that is away is tried again', async () => {
  const { cluster, people, a } = await started();
  const { mel, max } = people;
  cluster.objects.isAway = true;
  await a.app.node?.takeSnapshots();
  cluster.objects.isAway = false;
  expect(cluster.objects.objects.size).toBe(0);
  const { body } = await a.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await a.app.node?.takeSnapshots();
  expect(cluster.objects.objects.size).toBe(2);
  const b = await cluster.start('b');
  await caughtUp(cluster);
  expect(cluster.objects.calls.filter((call) => /^get .*\.mdb$/.test(call))).toHaveLength(1);
  expect((await b.get(max, `/messages/${body.id}`)).status).toBe(200);
  expect([...a.errors, ...b.errors]).toEqual([]);
});

test('a node that starts removes what uploads have left on its disk, and no file', async () => {
  const { cluster, people, a } = await started();
  const url = await uploaded(a, people.mel, { content: 'kept' });
  await a.stop();
  const uploads = join(a.data, 'realms/1/uploads');
  mkdirSync(join(uploads, 'spool'), { recursive: true });
  writeFileSync(join(uploads, 'spool', 'left'), 'half of an upload');
  const again = await cluster.start('a');
  await cluster.owner();
  expect(existsSync(join(uploads, 'spool', 'left'))).toBe(false);
  expect(String((await download(again, url, { as: people.mel })).bytes)).toBe('kept');
  expect(again.errors).toEqual([]);
});

async function started() {
  const cluster = openTestCluster();
  const a = await cluster.start('a');
  const people = await makeTestRealm(cluster);
  return { cluster, people, a };
}

/** Takes a snapshot of the store of a node that is stopped. */
async function snapshotFrom(cluster: TestCluster, data: string) {
  const { objects } = cluster;
  const snapshots = openSnapshots({
    objects,
    cluster: await idOf(cluster),
    node: 'a',
    now: Date.now,
  });
  const source = openReplica(join(data, 'realms', '1'));
  const taken = await snapshots.take({ ...REALM, source, scratch: temporaryFolder() });
  await source.close();
  if (taken.place === null) return expect.fail('the store has a place');
  return { ...taken, place: taken.place };
}

/** Returns the id that the cluster was founded with. */
async function idOf(cluster: TestCluster): Promise<string> {
  const founded = await cluster.log.openNode('operator').values.get('cluster');
  if (founded === undefined) return expect.fail('no node has founded the cluster');
  return unpacked<{ readonly id: string }>(founded).id;
}
