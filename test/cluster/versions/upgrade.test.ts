import { expect, test, vi } from 'vitest';
import { runOnNode } from '../../../src/admin/commands/cluster-commands.ts';
import { openRecordReader } from '../../../src/cluster/records/record-reader.ts';
import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
  type TestNode,
} from '../../support/cluster/nodes.ts';
import { laterSchemas } from '../../support/cluster/schemas.ts';
import type { Person } from '../../support/users.ts';

/** A later version that only has a column more. */
const COLUMNS = laterSchemas({ readsFormer: true, writesFormer: true });
/** A later version that reads what was, and writes what earlier ones do not read. */
const FORMS = laterSchemas({ readsFormer: true, writesFormer: false });
/** A later version that finds nothing in tables that are not migrated. */
const TABLES = laterSchemas({ readsFormer: false, writesFormer: false });
const { newest: FORMER } = SCHEMAS;
const NEWEST = FORMER + 1;

async function started(...names: readonly string[]) {
  const cluster = openTestCluster();
  await Promise.all(names.map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const [follower = owner] = cluster.running().filter((node) => node !== owner);
  return { cluster, people, owner, follower };
}

const DIRECT = { type: 'direct', content: 'hello' };

const send = (node: TestNode, from: Person, to: Person) =>
  node.post(from, '/messages', { ...DIRECT, to: [to.id] });

const upgrade = (node: TestNode) =>
  runOnNode(node.app.node, { command: 'cluster upgrade', args: {} });

const schemaAt = (node: TestNode) => node.app.node?.describe().shards[0];

async function kindsIn({ log }: TestCluster) {
  const reader = openRecordReader(null);
  const kinds: string[] = [];
  for (const stored of log.recordsOf(0)) kinds.push((await reader.read(stored))?.kind ?? 'none');
  return kinds;
}

/** Sends at all nodes until it is told to end; resolves with the refusals. */
function sendOn(cluster: TestCluster, from: Person, to: Person) {
  let isOn = true;
  const ids: number[] = [];
  const refused: unknown[] = [];
  async function sendAt(name: string) {
    for (let count = 0; isOn; count++) {
      const node = cluster.running().find((one) => one.name === name);
      const { status, body } = (await node
        ?.post(from, '/messages', { ...DIRECT, content: `${name} ${count}`, to: [to.id] })
        .catch(() => undefined)) ?? { status: 0, body: undefined };
      if (status === 200) ids.push(body.id);
      // A node that stops or starts takes no connections, and a balancer knows that.
      else if (status !== 0) refused.push(body.code);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const sending = cluster.running().map(({ name }) => sendAt(name));
  return async () => {
    isOn = false;
    await Promise.all(sending);
    return { ids, refused };
  };
}

test('a rolling upgrade: followers first, a move, the rest, and the record; people send meanwhile', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  const end = sendOn(cluster, mel, max);
  await follower.stop();
  const later = await cluster.start(follower.name, COLUMNS);
  await expect(upgrade(later)).rejects.toThrow(
    `Node ${owner.name} runs confab 0.1.0, which does not know schema ${NEWEST}: install a newer`,
  );
  await owner.app.node?.move(0, later.name);
  expect((await cluster.owner()).name).toBe(later.name);
  expect(await send(later, mel, max)).toMatchObject({ status: 200 });
  expect(schemaAt(later)).toMatchObject({ schema: FORMER });
  await owner.stop();
  const rest = await cluster.start(owner.name, COLUMNS);
  await vi.waitFor(() => expect(rest.app.node?.describe().nodes).toHaveLength(2));
  expect(await upgrade(rest)).toMatchObject([{ shard: 0, former_schema: FORMER, schema: NEWEST }]);
  expect(await send(await cluster.owner(), mel, max)).toMatchObject({ status: 200 });
  const { ids, refused } = await end();
  // As when a shard moves, its realm is closed for moments.
  expect(refused.filter((code) => code !== 'SERVER_STOPPING')).toEqual([]);
  const found = await rest.get(max, '/messages', {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
  });
  const stored = found.body.messages.map(({ id }: { id: number }) => id);
  expect(stored).toEqual(expect.arrayContaining(ids));
  expect(await kindsIn(cluster)).toContain('schema');
  for (const node of cluster.running()) {
    expect(schemaAt(node)).toMatchObject({ schema: NEWEST });
    const { body } = await node.get(max, '/users/me');
    expect(body.full_name).toBe(`${max.fullName} II`);
  }
  await caughtUp(cluster);
  expect(await rest.app.node?.verify(0)).toMatchObject({ is_equal: true, agree: ['a', 'b'] });
  expect(await upgrade(rest)).toMatchObject([{ former_schema: NEWEST, schema: NEWEST }]);
  expect([...later.errors, ...rest.errors]).toEqual([]);
}, 60_000);

test('a node that cannot read the former schema follows it, passes on, and is read after the upgrade', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  await follower.stop();
  const later = await cluster.start(follower.name, TABLES);
  expect(await send(owner, mel, max)).toMatchObject({ status: 200 });
  await caughtUp(cluster);
  // It says that it is ready when it has heard of a node that can read it.
  await vi.waitFor(() => expect(later.app.node?.reasons()).toEqual([]));
  expect(await later.get(max, '/users/me')).toMatchObject({
    status: 200,
    body: { full_name: max.fullName },
  });
  expect(await send(later, mel, max)).toMatchObject({ status: 200 });
  const queue = await later.register(max, { event_types: ['message'] });
  expect(await send(owner, mel, max)).toMatchObject({ status: 200 });
  expect(await queue.next()).toMatchObject([{ message: { content: 'hello' } }]);
  // It takes the shard only when no node is left that can write it, and then waits.
  await owner.stop();
  await vi.waitFor(() => expect(schemaAt(later)).toMatchObject({ state: 'owning' }), 10_000);
  expect(await later.get(max, '/users/me')).toMatchObject({
    status: 503,
    body: { code: 'SERVER_STOPPING' },
  });
  await vi.waitFor(() => {
    expect(later.app.node?.reasons().join()).toMatch(/run `confab cluster upgrade`/);
  });
  expect(await upgrade(later)).toMatchObject([{ former_schema: FORMER, schema: NEWEST }]);
  await vi.waitFor(async () => expect(await send(later, mel, max)).toMatchObject({ status: 200 }));
  const joined = await cluster.start('c', TABLES);
  const { body } = await joined.get(max, '/users/me');
  expect(body.full_name).toBe(`${max.fullName} II`);
  expect(await joined.app.node?.verify(0)).toMatchObject({
    differ: [],
    agree: [later.name, 'c'].sort(),
  });
  expect(later.errors).toEqual([]);
}, 60_000);

test('a node that must not write yet leaves the shard to one that may, and serves reads', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  await follower.stop();
  const later = await cluster.start(follower.name, FORMS);
  expect(await send(later, mel, max)).toMatchObject({ status: 200 });
  const { body } = await later.get(max, '/users/me');
  expect(body.full_name).toBe(max.fullName);
  await owner.app.node?.move(0, later.name);
  expect((await cluster.owner()).name).toBe(owner.name);
  expect(await send(later, mel, max)).toMatchObject({ status: 200 });
}, 60_000);

test('an earlier version stops at the record, and says in plain words what to install', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  follower.store.cut('both');
  await owner.stop();
  const later = await cluster.start(owner.name, COLUMNS);
  await vi.waitFor(() => expect(schemaAt(later)).toMatchObject({ state: 'owning' }), 10_000);
  expect(await upgrade(later)).toMatchObject([{ schema: NEWEST }]);
  expect(await send(later, mel, max)).toMatchObject({ status: 200 });
  follower.store.heal();
  await vi.waitFor(() => expect(follower.errors.join()).toMatch(/fatal/), 10_000);
  expect(follower.errors.join()).toContain(
    `the cluster was upgraded to schema ${NEWEST}, and confab 0.1.0 of this node knows ${FORMER}: install confab 0.1.0 or newer here`,
  );
  await follower.stop();
  await expect(cluster.start('c')).rejects.toThrow(`the cluster was upgraded to schema ${NEWEST}`);
}, 60_000);
