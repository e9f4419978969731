import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryCluster } from '../../src/cluster/log/memory/memory-cluster.ts';
import { noteHolds } from '../../src/cluster/nodes/node-file.ts';
import { type OperatingName, operate } from '../../src/cluster/operating.ts';
import { shardOf } from '../../src/cluster/placement.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { memoryObjects } from '../support/files/memory-objects.ts';
import { download, uploaded } from '../support/files/uploads.ts';
import { runConfab } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

/** The command waits for nobody else. */
const ALONE = { waitMs: 0, onNotice: () => undefined };

const DIRECT = { type: 'direct', content: 'hello' };

test('a server becomes a cluster, and a node of it a server again, with messages and files', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel, { content: 'kept' });
  // A file that no message has is removed after a while; the time of this server is long ago.
  const content = `[file](${url})`;
  const sent = await server.post(mel, '/messages', { ...DIRECT, to: [max.id], content });
  await server.stop();
  const cluster = openTestCluster();
  const run = (name: OperatingName, data: string) =>
    operate(name, {
      data,
      node: 'a',
      shards: cluster.shards,
      store: cluster.log.openNode('operator'),
      objects: cluster.objects,
      now: Date.now,
      ...ALONE,
    });
  const { data } = server;
  await expect(run('cluster leave', data)).rejects.toThrow(/is not the directory of a node/);
  expect(await run('cluster adopt', data)).toEqual([
    { realm: 1, shard: 0, bytes: expect.any(Number), files: 1 },
  ]);

  const a = await cluster.start('a');
  await cluster.owner();
  const b = await cluster.start('b');
  const more = await b.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'more' });
  for (const node of [a, b]) {
    expect((await node.get(max, `/messages/${sent.body.id}`)).status).toBe(200);
    expect(String((await download(node, url, { as: mel })).bytes)).toBe('kept');
  }
  await expect(run('cluster leave', a.data)).rejects.toThrow(/^a, b of the cluster still runs/);
  await caughtUp(cluster);
  await b.stop();
  await a.stop();
  await expect(run('cluster adopt', a.data)).rejects.toThrow(/is that of node a/);
  expect(await run('cluster leave', a.data)).toMatchObject([{ realm: 1, names: ['test'] }]);
  expect([...a.errors, ...b.errors]).toEqual([]);

  rmSync(data, { recursive: true });
  cpSync(a.data, data, { recursive: true });
  await server.start();
  for (const { body } of [sent, more]) {
    expect((await server.get(max, `/messages/${body.id}`)).status).toBe(200);
  }
  expect(String((await download(server, url, { as: mel })).bytes)).toBe('kept');
});

test('lost logs begin anew over the stores of one node, and others take its snapshots', async () => {
  const before = openTestCluster();
  const a = await before.start('a');
  const people = await makeTestRealm(before);
  const { mel, max } = people;
  const sent = await a.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await a.stop();
  const after = openTestCluster();
  const rebuild = (node: string) =>
    operate('cluster rebuild-log', {
      data: a.data,
      node,
      shards: 1,
      store: after.log.openNode('operator'),
      objects: after.objects,
      now: Date.now,
      ...ALONE,
    });
  await expect(rebuild('b')).rejects.toThrow(/is that of node a: CONFAB_NODE says b/);
  expect(await rebuild('a')).toEqual([{ shard: 0, realms: [1], epoch: 2, begun_by: 'a' }]);
  const b = await after.start('b');
  await after.owner();
  expect((await b.get(max, `/messages/${sent.body.id}`)).status).toBe(200);
  const more = await b.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(more.status).toBe(200);
  expect(b.errors).toEqual([]);
});

test('logs begin anew over two nodes, of which each has copies that the other lacks', async () => {
  const before = openTestCluster({ shards: 2 });
  const a = await before.start('a');
  const { max } = await makeTestRealm(before);
  const mine = shardOf(1, 2);
  let other = 1;
  while (shardOf(other, 2) === mine) {
    other = (await a.app.realms.create({ stringId: `r${other}`, name: 'other' })).id;
  }
  const b = await before.start('b');
  await caughtUp(before);
  await b.stop();
  await a.stop();
  // The first was still copying the other shard, and may lack realms of it.
  noteHolds(a.data, [mine]);
  const after = openTestCluster({ shards: 2 });
  const rebuild = ({ name, data }: TestNode) =>
    operate('cluster rebuild-log', {
      data,
      node: name,
      shards: 2,
      store: after.log.openNode('operator'),
      objects: after.objects,
      now: Date.now,
      ...ALONE,
    });
  const [first] = await rebuild(a);
  expect(first).toMatchObject({ shard: mine, realms: expect.arrayContaining([1]) });
  const both = await rebuild(b);
  expect(both).toHaveLength(2);
  expect(both).toContainEqual({ ...first, begun_by: 'a' });
  expect(both).toContainEqual({
    ...{ shard: shardOf(other, 2), realms: [other], epoch: expect.any(Number) },
    begun_by: 'b',
  });
  expect(readdirSync(join(b.data, 'realms'))).toEqual([String(other)]);
  expect(readdirSync(join(b.data, 'realms.former'))).toContain('1');
  const c = await after.start('c');
  await after.owner();
  expect((await c.get(max, '/users/me')).status).toBe(200);
  expect(c.app.realms.named(`r${other - 1}`)?.id).toBe(other);
  expect(c.errors).toEqual([]);
});

test('nodes find out which of them has most, and its copy is what all have then', async () => {
  const before = openTestCluster();
  const [a, b] = [await before.start('a'), await before.start('b')];
  const { mel, max } = await makeTestRealm(before);
  const owner = await before.owner();
  const behind = owner === a ? b : a;
  await behind.stop();
  const sent = await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await owner.stop();
  const after = openTestCluster();
  const said: string[] = [];
  const rebuild = ({ name, data }: TestNode, from?: string) =>
    operate('cluster rebuild-log', {
      ...{ data, node: name, shards: 1, objects: after.objects, now: Date.now, from },
      store: after.log.openNode(`operator ${name}`),
      waitMs: 3_000,
      onNotice: (text) => void said.push(`${name}: ${text}`),
    });
  const lines = await Promise.all([rebuild(behind), rebuild(owner)]);
  for (const [line] of lines) expect(line).toMatchObject({ realms: [1], begun_by: owner.name });
  expect(said).toContain(`${behind.name}: ${owner.name} answers, with 1 shards`);
  expect(said.join('\n')).toMatch(
    new RegExp(
      `${behind.name}: shard 0: ${owner.name} has record \\d+, ${behind.name} has \\d+; its log begins over ${owner.name}`,
    ),
  );
  expect(readdirSync(join(behind.data, 'realms'))).toEqual([]);
  expect(readdirSync(join(behind.data, 'realms.former'))).toEqual(['1']);
  // It can be typed again, and does nothing more.
  expect(await rebuild(owner)).toMatchObject([{ begun_by: owner.name }]);
  const c = await after.start('c');
  await after.owner();
  expect((await c.get(max, `/messages/${sent.body.id}`)).status).toBe(200);
}, 60_000);

test('a node that lacks realms of the cluster becomes no server, and begins no logs', async () => {
  const cluster = openTestCluster();
  const a = await cluster.start('a');
  await makeTestRealm(cluster);
  const b = await cluster.start('b');
  await b.app.node?.takeSnapshots();
  await b.stop();
  await a.stop();
  rmSync(join(b.data, 'realms', '1'), { recursive: true });
  for (const name of ['cluster leave', 'cluster rebuild-log'] as const) {
    const done = operate(name, {
      data: b.data,
      node: 'b',
      shards: 1,
      store: cluster.log.openNode('operator'),
      objects: cluster.objects,
      now: Date.now,
      ...ALONE,
    });
    await expect(done).rejects.toThrow(/has no copy of realm 1: let one node hold all realms/);
  }
});

test('the commands say what they need', async () => {
  const data = temporaryFolder();
  const plain = { data, node: 'a', shards: 1, now: Date.now, ...ALONE };
  const store = openMemoryCluster().openNode('operator');
  await expect(operate('cluster adopt', { ...plain, store, objects: undefined })).rejects.toThrow(
    /needs CONFAB_FILES/,
  );
  await expect(
    operate('cluster adopt', { ...plain, store, objects: memoryObjects() }),
  ).rejects.toThrow(/has no realm that a cluster could have/);
  for (const name of ['adopt', 'leave', 'rebuild-log']) {
    expect(await runConfab(data, 'cluster', name)).toMatchObject({
      code: 2,
      stderr: `confab: confab cluster ${name} needs CONFAB_CLUSTER, the servers of the log\n`,
    });
  }
  expect(existsSync(join(data, 'realms'))).toBe(false);
});
