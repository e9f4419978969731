import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { packed } from '../../../src/cluster/nodes/frames.ts';
import { shardOf } from '../../../src/cluster/placement.ts';
import {
  decodeRecord,
  encodeRecord,
  newRecordId,
  payloadsOf,
} from '../../../src/cluster/records/record.ts';
import { adoptDirectory } from '../../../src/cluster/snapshots/adopting.ts';
import { leaveCluster } from '../../../src/cluster/snapshots/leaving.ts';
import { rebuildLogs } from '../../../src/cluster/snapshots/rebuilding.ts';
import { openSnapshots } from '../../../src/cluster/snapshots/snapshots.ts';
import { openObjectFileStore } from '../../../storage/files/object-file-store.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { memoryObjects } from '../../support/files/memory-objects.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const SHARDS = 4;
const SHARD = shardOf(1, SHARDS);
const REALM = { shard: SHARD, realmId: 1 };

test('a directory becomes realms of a cluster with its files, and a node’s directory a server again', async () => {
  const world = await stopped();
  const { server, cluster, snapshots, openFiles, url } = world;
  const { data } = server;
  const adopted = await adopt(world);
  expect(adopted).toEqual([{ realm: 1, shard: SHARD, bytes: expect.any(Number), files: 1 }]);
  // No server serves it again, and nothing of it is gone.
  expect(existsSync(join(data, 'realms'))).toBe(false);
  expect(readdirSync(join(data, 'realms.adopted/1/uploads')).length).toBeGreaterThan(0);
  expect(await cluster.values.get('realm.1')).toBeDefined();

  const node = temporaryFolder();
  const folder = join(node, 'realms', '1');
  const newest = await snapshots.newest(REALM);
  if (newest === undefined) return expect.fail('there is one');
  expect(newest.place).toBe(null);
  await snapshots.restore(newest, REALM, folder);
  writeFileSync(join(node, 'node.json'), '{"node":"n1"}');
  const left = await leaveCluster({
    data: node,
    openFiles,
    shards: SHARDS,
    openLog: (shard) => cluster.openLog(shard),
  });
  expect(left).toEqual([{ realm: 1, names: ['test'], files: 1 }]);
  expect(existsSync(join(node, 'node.json'))).toBe(false);
  rmSync(data, { recursive: true });
  cpSync(node, data, { recursive: true });
  await server.start();
  const copy = await download(server, url, { as: server.people.mel });
  expect(String(copy.bytes)).toBe('hello');
  // Its queues go on as well.
  const { queueId, lastEventId } = world;
  const poll = await server.get(server.people.mel, '/events', {
    queue_id: queueId,
    last_event_id: lastEventId,
    dont_block: true,
  });
  expect(poll.status).toBe(200);
  expect(server.bugs).toEqual([]);
});

test('a cluster that has a realm of that number takes none, and nothing changes', async () => {
  const world = await stopped();
  await world.cluster.values.put('realm.1', packed({ is: 'there', from: 'somebody else' }));
  await expect(adopt(world)).rejects.toThrow(/has a realm 1 already/);
  expect(world.objects.objects.size).toBe(0);
  expect(existsSync(join(world.server.data, 'realms/1'))).toBe(true);
  await expect(adopt({ ...world, server: { data: temporaryFolder() } })).rejects.toThrow(
    /has no realm/,
  );
});

test('an adoption that is cut short at any request is gone on with', async () => {
  const world = await stopped();
  for (const requests of [0, 1, 2, 3, 4]) {
    world.objects.isAway = requests;
    await expect(adopt(world)).rejects.toThrow();
    world.objects.isAway = false;
    expect(existsSync(join(world.server.data, 'realms/1'))).toBe(true);
    expect(await world.cluster.values.get('realm.1')).toBe(undefined);
  }
  await adopt(world);
  expect(await world.cluster.values.get('realm.1')).toBeDefined();
  expect(await world.snapshots.list(REALM)).toHaveLength(1);
});

test('a realm is adopted behind the newest record of a log that is in use', async () => {
  const world = await stopped();
  const log = await world.cluster.openLog(SHARD);
  const place = await append(log, { kind: 'claim', node: 'n1' });
  await adopt(world);
  expect((await world.snapshots.newest(REALM))?.place).toEqual(place);
});

test('a node that lacks records of a realm does not leave, and one that lacks others’ does', async () => {
  const world = await stopped();
  await adopt(world);
  const node = temporaryFolder();
  const newest = await world.snapshots.newest(REALM);
  if (newest === undefined) return expect.fail('there is one');
  await world.snapshots.restore(newest, REALM, join(node, 'realms', '1'));
  const leave = () =>
    leaveCluster({
      data: node,
      openFiles: world.openFiles,
      shards: SHARDS,
      openLog: (shard) => world.cluster.openLog(shard),
    });
  await expect(leave()).rejects.toThrow(/is not the directory of a node/);
  writeFileSync(join(node, 'node.json'), '{"node":"n1"}');
  const log = await world.cluster.openLog(SHARD);
  const place = await append(log, { kind: 'claim', node: 'n1' });
  const replica = openReplica(join(node, 'realms', '1'));
  await replica.apply([], place);
  await replica.close();
  await append(log, { kind: 'mark' });
  const kept = temporaryFolder();
  cpSync(node, kept, { recursive: true });
  expect(await leave()).toHaveLength(1);
  cpSync(kept, node, { recursive: true });
  const commit = { realmId: 1, head: 0, wakeAt: Number.POSITIVE_INFINITY, writes: [] };
  const [writes] = await payloadsOf({ kind: 'writes', realms: [commit] });
  if (writes === undefined) return expect.fail('there is a part');
  await append(log, writes);
  await expect(leave()).rejects.toThrow(/lacks records of its log after 1: start the node/);
  expect(existsSync(join(node, 'node.json'))).toBe(true);
});

test('a lost log begins anew over the stores of a node, which others take as snapshots', async () => {
  const world = await stopped();
  const { server, cluster, snapshots } = world;
  const folder = join(server.data, 'realms', '1');
  const before = openReplica(folder);
  const head = before.reader.head();
  await before.apply([], { sequence: 500, id: 'of the lost log', epoch: 7 });
  await snapshots.take({ ...REALM, source: before, scratch: join(server.data, 'scratch') });
  await before.close();
  const rebuild = () =>
    rebuildLogs({
      data: server.data,
      node: 'n1',
      shards: SHARDS,
      openLog: (shard) => cluster.openLog(shard),
      snapshots,
      now: Date.now,
      chosenFor: () => 'n1',
    });
  world.objects.isAway = 1;
  await expect(rebuild()).rejects.toThrow(/is away/);
  world.objects.isAway = false;
  const [rebuilt] = await rebuild();
  const log = await cluster.openLog(SHARD);
  expect(await log.last()).toBe(1);
  const record = await log.record(1);
  if (record === undefined) return expect.fail('there is a record');
  expect(decodeRecord(record.body)).toMatchObject({
    head: { epoch: 8, former: '' },
    payload: { kind: 'claim', node: 'n1' },
  });
  const place = { sequence: 1, id: record.id, epoch: 8 };
  expect(rebuilt).toEqual({ shard: SHARD, realms: [1], node: 'n1', place });
  expect(await snapshots.list(REALM)).toMatchObject([{ place, last_event_id: head }]);
  const other = join(temporaryFolder(), '1');
  const [newest] = await snapshots.list(REALM);
  if (newest === undefined) return expect.fail('there is one');
  await snapshots.restore(newest, REALM, other);
  for (const path of [folder, other]) {
    const store = openReplica(path);
    expect(store.applied()).toEqual(place);
    expect(store.reader.head()).toBe(head);
    await store.close();
  }
  await append(log, { kind: 'mark' });
  await expect(rebuild()).rejects.toThrow(/the log has 2 records/);
});

/** A server that has stopped, and a cluster in the memory. */
async function stopped() {
  const server = await startServer();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: 'hello' });
  const { body } = await server.post(mel, '/register', {});
  await server.stop();
  const objects = memoryObjects();
  const cluster = openMemoryCluster().openNode('n1');
  onTestFinished(() => cluster.close());
  return {
    server,
    url,
    queueId: body.queue_id,
    lastEventId: body.last_event_id,
    objects,
    cluster,
    snapshots: openSnapshots({ objects, cluster: 'c1', node: 'n1', now: Date.now }),
    openFiles: (folder: string, realmId: number) =>
      openObjectFileStore({ objects, folder, realmId }),
  };
}

type World = Awaited<ReturnType<typeof stopped>>;

const adopt = ({
  server,
  snapshots,
  openFiles,
  cluster,
}: Pick<World, 'snapshots' | 'openFiles' | 'cluster'> & {
  readonly server: { readonly data: string };
}) =>
  adoptDirectory({
    data: server.data,
    snapshots,
    openFiles,
    values: cluster.values,
    openLog: (shard) => cluster.openLog(shard),
    shards: SHARDS,
  });

type Payload = Parameters<typeof encodeRecord>[1];

async function append(log: Awaited<ReturnType<World['cluster']['openLog']>>, payload: Payload) {
  const last = await log.last();
  const former = (await log.record(last))?.id ?? '';
  const id = newRecordId();
  const head = { epoch: 1, id, former, schema: SCHEMA_VERSION, at: Date.now() };
  const body = encodeRecord(head, payload);
  expect(await log.append({ expected: last, id, epoch: 1, body })).toBe('stored');
  return { sequence: last + 1, id, epoch: 1 };
}
