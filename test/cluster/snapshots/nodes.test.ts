import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packed, unpacked } from '../../../src/cluster/frames.ts';
import { openSnapshots } from '../../../src/cluster/snapshots/snapshots.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { copiesOf } from '../../support/cluster/copies.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
} from '../../support/cluster/nodes.ts';
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
  await store.values.put('realm.1', packed({ by: 'a' }));
  const c = await cluster.start('c');
  await caughtUp(cluster);
  expect(existsSync(join(c.data, 'realms', '1'))).toBe(true);
  expect(cluster.objects.calls.filter((call) => call.includes('.mdb'))).toHaveLength(2);
  const copies = await copiesOf(cluster);
  expect(new Set(copies.values()).size).toBe(1);
  expect(readdirSync(join(c.data, 'realms'))).toEqual(['1']);
});

async function started() {
  const cluster = openTestCluster();
  const a = await cluster.start('a');
  const people = await makeTestRealm(cluster);
  return { cluster, people, a };
}

/** Takes a snapshot of the store of a node that is stopped. */
async function snapshotFrom(cluster: TestCluster, data: string) {
  const operator = cluster.log.openNode('operator');
  const founded = await operator.values.get('cluster');
  if (founded === undefined) return expect.fail('no node has founded the cluster');
  const { id } = unpacked<{ readonly id: string }>(founded);
  const { objects } = cluster;
  const snapshots = openSnapshots({ objects, cluster: id, node: 'a', now: Date.now });
  const source = openReplica(join(data, 'realms', '1'));
  const taken = await snapshots.take({ ...REALM, source, scratch: temporaryFolder() });
  await source.close();
  if (taken.place === null) return expect.fail('the store has a place');
  return { ...taken, place: taken.place };
}
