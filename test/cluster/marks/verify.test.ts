import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test, vi } from 'vitest';
import type { VerifiedShard } from '../../../src/cluster/marks/verifying.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestNode,
} from '../../support/cluster/nodes.ts';

async function started(...names: readonly string[]) {
  const cluster = openTestCluster();
  await Promise.all(names.map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const followers = cluster.running().filter((node) => node !== owner);
  const [first = owner, second = owner] = followers;
  return { cluster, people, owner, followers, first, second };
}

const DIRECT = { type: 'direct', content: 'hello' };

async function verified(at: TestNode): Promise<VerifiedShard> {
  return (await at.app.node?.verify(0)) ?? expect.fail('no node owns the shard');
}

/** Writes into the copy of a node what no record says. */
async function changeBehind(node: TestNode, change: (table: Raw) => Promise<unknown>, realm = 1) {
  const env = open<unknown, string>({
    path: join(node.data, 'realms', String(realm)),
    maxDbs: 200,
    overlappingSync: false,
  });
  await change(env.openDB({ name: 'messages', encoding: 'binary' }));
  await env.close();
}

interface Raw {
  get(key: number[]): Buffer | undefined;
  put(key: number[], row: Buffer): Promise<unknown>;
  remove(key: number[]): Promise<unknown>;
}

test('equal copies agree, at every node that is asked, while people send', async () => {
  const { cluster, people, owner, followers } = await started('a', 'b', 'c');
  const { mel, max } = people;
  let isSending = true;
  let sent = 0;
  const refusals: unknown[] = [];
  const sending = Promise.all(
    cluster.running().map(async (node) => {
      for (let count = 0; isSending; count++) {
        const content = `${node.name} ${count}`;
        const { body } = await node.post(mel, '/messages', { ...DIRECT, content, to: [max.id] });
        if (body.result === 'success') sent += 1;
        else refusals.push(body.code);
      }
    }),
  );
  const found: VerifiedShard[] = [];
  for (let round = 0; round < 3; round++) {
    for (const node of [owner, ...followers]) {
      found.push(await verified(node));
      const before = sent;
      await vi.waitFor(() => expect(sent).toBeGreaterThan(before), 10_000);
    }
  }
  isSending = false;
  await sending;
  // On a machine that is busy for half a second a node takes itself for cut off.
  expect(refusals.filter((code) => code !== 'SERVER_STOPPING')).toEqual([]);
  for (const one of found) {
    expect(one).toMatchObject({ is_equal: true, agree: ['a', 'b', 'c'], realms: 1 });
  }
  // Each mark is a record of its own, and rows came between them.
  expect(new Set(found.map(({ sequence }) => sequence)).size).toBe(9);
  expect(found.at(-1)?.rows).toBeGreaterThan(found[0]?.rows ?? 0);
  expect([...owner.errors, ...followers.flatMap(({ errors }) => errors)]).toEqual([]);
});

test('a row that was changed behind the back of a node is found, and so is one that is gone', async () => {
  const { cluster, people, owner, first, second } = await started('a', 'b', 'c');
  const { mel, max } = people;
  for (let count = 0; count < 3; count++) {
    await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  }
  await caughtUp(cluster);
  await changeBehind(first, async (table) => {
    const row = Buffer.from(table.get([2]) ?? expect.fail('there is no such message'));
    row[row.length - 1] = (row.at(-1) ?? 0) ^ 1;
    await table.put([2], row);
  });
  expect(await verified(second)).toMatchObject({
    is_equal: false,
    agree: [owner.name, second.name].toSorted(),
    differ: [{ node: first.name, realm: 1, tables: ['messages'], is_missing: false }],
    not_compared: [],
  });
  // Most nodes are taken to be right, also where the owner is wrong.
  await changeBehind(first, (table) => table.remove([2]));
  await changeBehind(second, (table) => table.remove([2]));
  expect(await verified(first)).toMatchObject({
    agree: [first.name, second.name].toSorted(),
    differ: [{ node: owner.name, realm: 1, tables: ['messages'] }],
  });
});

test('copies are equal after moves, kills, restarts, and at a node that took a snapshot', async () => {
  const { cluster, people, owner, first: next } = await started('a', 'b');
  const { mel, max } = people;
  const send = async (node: TestNode) => {
    const { body } = await node.post(mel, '/messages', { ...DIRECT, to: [max.id] });
    expect(body).toMatchObject({ result: 'success' });
  };
  await send(owner);
  await next.app.node?.takeSnapshots();
  await owner.app.node?.move(0, next.name);
  expect((await cluster.owner()).name).toBe(next.name);
  await send(owner);
  expect(await verified(owner)).toMatchObject({ is_equal: true, agree: ['a', 'b'] });
  const joined = await cluster.start('c');
  await send(joined);
  expect(await verified(joined)).toMatchObject({ is_equal: true, agree: ['a', 'b', 'c'] });
  await next.kill();
  await send(await cluster.owner());
  const again = await cluster.start(next.name);
  await send(again);
  expect(await verified(again)).toMatchObject({ is_equal: true, agree: ['a', 'b', 'c'] });
});

test('one shard is compared each night, by its owner, and no node does it again', async () => {
  const { cluster, owner, first: follower } = await started('a', 'b');
  const marks = () => cluster.log.recordsOf(0).length;
  const look = async () => {
    const before = marks();
    for (const node of [follower, owner]) await node.app.node?.verifyDue();
    return marks() - before;
  };
  await vi.waitFor(async () => expect(await look()).toBe(1));
  expect(await look()).toBe(0);
  cluster.leap(86_400_000);
  expect(await look()).toBe(1);
  await changeBehind(follower, (table) => table.put([1], Buffer.from([0x91, 1])));
  cluster.leap(86_400_000);
  await look();
  expect(owner.errors.join()).toMatch(/copies of a shard differ/);
  const [line = ''] = owner.errors;
  expect(JSON.parse(line)).toMatchObject({
    shard: 0,
    differ: [{ node: follower.name, realm: 1, tables: ['messages'] }],
  });
});
