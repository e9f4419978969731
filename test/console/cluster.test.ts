import { expect, test } from 'vitest';
import { askForConsole } from '../../src/command-line/ask.ts';
import type { ClusterView, GatewaysView, ServerView } from '../../src/console/wire.ts';
import { makeTestRealm, openTestCluster, type TestNode } from '../support/cluster/nodes.ts';
import { upload } from '../support/files/uploads.ts';
import { gatewaysOf } from '../support/gateways/lines.ts';
import { confab } from '../support/processes/run.ts';
import { startProcess } from '../support/processes/start-process.ts';
import { startServer } from '../support/start-server.ts';

const OPERATOR = { CONFAB_OPERATOR: '127.0.0.1:0' };
/** A cluster starts in seconds; on a busy machine, in a minute. */
const LONG = { timeout: 180_000 };
const SOON = { timeout: 50_000, interval: 50 };

/** Asks the console of a server as a browser that has logged in does. */
async function openConsole(address: string) {
  const { origin } = new URL(address);
  const reply = await fetch(address, { redirect: 'manual' });
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ask = async <Value>(path: string) =>
    (await (await fetch(`${origin}/console/api/${path}`, { headers: { cookie } })).json()) as Value;
  const metrics = async () => (await fetch(`${origin}/metrics`)).text();
  return { ask, metrics };
}

const consoleOf = async ({ data }: Pick<TestNode, 'data'>) =>
  openConsole(((await askForConsole(data)) as { url: string }).url);

/** A cluster of three with a realm, and the console of a node that follows. */
async function opened() {
  const cluster = openTestCluster({ env: OPERATOR });
  for (const name of ['node1', 'node2', 'node3']) await cluster.start(name);
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const followers = cluster.running().filter((node) => node !== owner);
  const [watching, other] = followers;
  if (watching === undefined || other === undefined) throw new Error('there are three nodes');
  const page = await consoleOf(watching);
  return { cluster, people, owner, watching, other, ...page };
}

const shardIn = ({ shards }: ClusterView) => shards[0] ?? expect.fail('there is one shard');

test(
  'the nodes, the shard, its owner, its followers, the log and the storage are shown',
  LONG,
  async () => {
    const { ask, owner, watching, other } = await opened();
    expect(await ask<ServerView>('server')).toMatchObject({ clusterNode: watching.name });
    // A node says all of itself once a second.
    await expect
      .poll(async () => {
        const told = await ask<ClusterView>('cluster');
        const { followers, change } = shardIn(told);
        const isTold = told.nodes.every(({ version, copies }) => version !== null && copies === 1);
        return isTold && followers.length === 2 && change !== null;
      }, SOON)
      .toBe(true);
    const seen = await ask<ClusterView>('cluster');
    expect(seen).toMatchObject({
      node: watching.name,
      isReached: true,
      log: { isConnected: true, server: 'memory' },
      storage: { address: 's3://test/memory', isAway: false, failure: null },
    });
    expect(seen.nodes.map(({ node }) => node)).toEqual(['node1', 'node2', 'node3']);
    for (const node of seen.nodes) {
      const isOwner = node.node === owner.name;
      expect(node).toMatchObject({
        version: expect.stringMatching(/^\d/),
        owned: isOwner ? 1 : 0,
        copies: 1,
        isLeaving: false,
        isDrained: false,
      });
      expect(node.rssBytes).toBeGreaterThan(1e6);
      expect(Math.abs(Date.now() - (node.since ?? 0))).toBeLessThan(3_600_000);
    }
    const shard = shardIn(seen);
    expect(shard).toMatchObject({ owner: owner.name, state: 'following', pinnedTo: null });
    expect(shard.change).toMatchObject({ kind: 'first claim', from: null });
    expect(shard.log).toMatchObject({ leader: 'memory', copies: 1, records: shard.sequence });
    expect(shard.followers.map(({ node }) => node).sort()).toEqual(
      [watching.name, other.name].sort(),
    );
  },
);

test(
  'a follower that does not get on is shown with its lag, here and in metrics',
  LONG,
  async () => {
    const { ask, metrics, people, owner, watching } = await opened();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    watching.store.faults.onRecord = () => held;
    await owner.post(people.mel, '/users/me/subscriptions', {
      subscriptions: JSON.stringify([{ name: 'general' }]),
    });
    const lagging = async () =>
      shardIn(await ask<ClusterView>('cluster')).followers.find(
        ({ node }) => node === watching.name,
      );
    await expect.poll(async () => (await lagging())?.records, SOON).toBeGreaterThan(0);
    await expect.poll(async () => (await lagging())?.ms, SOON).toBeGreaterThan(200);
    expect(await metrics()).toMatch(/^confab_cluster_lag_records [1-9]/m);
    go();
    await expect.poll(lagging, SOON).toMatchObject({ records: 0, ms: 0 });
    await expect.poll(metrics, SOON).toMatch(/^confab_cluster_lag_seconds 0$/m);
  },
);

test(
  'a take-over and a move are told with the former owner and with how long nobody wrote',
  LONG,
  async () => {
    const { cluster, ask, metrics, owner, watching, other } = await opened();
    await owner.kill();
    await expect
      .poll(async () => shardIn(await ask<ClusterView>('cluster')).change, SOON)
      .toMatchObject({ kind: 'take-over', from: owner.name });
    const taken = shardIn(await ask<ClusterView>('cluster'));
    // The silence after which a shard is claimed is a part of it.
    expect(taken.change?.ms).toBeGreaterThan(400);
    const next = await cluster.owner();
    expect(taken.owner).toBe(next.name);
    const to = next === watching ? other : watching;
    await next.app.node?.move(0, to.name);
    await expect
      .poll(async () => shardIn(await ask<ClusterView>('cluster')), SOON)
      .toMatchObject({ owner: to.name, change: { kind: 'move', from: next.name } });
    const counted = await (next === watching ? metrics() : (await consoleOf(next)).metrics());
    expect(counted).toContain('confab_cluster_shards_owned_total{kind="take-over"} 1');
    expect(counted).toContain('confab_cluster_without_owner_duration_seconds_count 1');
    expect(counted).toContain('confab_cluster_nodes 2');
  },
);

test('a node that is cut off, and a storage that is away, are said to be so', LONG, async () => {
  const { cluster, people, ask, metrics, watching } = await opened();
  watching.store.cut('both');
  await expect
    .poll(async () => ask<ClusterView>('cluster'), SOON)
    .toMatchObject({ isReached: false, log: { isConnected: false, server: null } });
  expect(await metrics()).toContain('confab_cluster_reached 0');
  watching.store.heal();
  await expect
    .poll(async () => ask<ClusterView>('cluster'), SOON)
    .toMatchObject({ isReached: true, log: { isConnected: true } });
  const owner = await cluster.owner();
  const { ask: askOwner, metrics: metricsOfOwner } = await consoleOf(owner);
  cluster.objects.isAway = true;
  await upload(owner, people.mel, { content: 'abc' });
  await expect
    .poll(async () => (await askOwner<ClusterView>('cluster')).storage, SOON)
    .toMatchObject({ isAway: true, failure: { why: 'the store of the test is away' } });
  expect(await metricsOfOwner()).toContain('confab_cluster_storage{state="away"} 1');
});

test(
  'a server without a cluster shows nothing of one, and has no metrics of one',
  LONG,
  async () => {
    const server = await startServer({ env: OPERATOR });
    const { ask, metrics } = await consoleOf(server);
    expect(await ask('server')).toMatchObject({ clusterNode: null, gateways: 0 });
    expect(await ask('cluster')).toEqual({ refusal: 'This server is no node of a cluster' });
    expect(await ask('gateways')).toEqual({ refusal: 'This server has no gateways' });
    expect(await metrics()).not.toMatch(/^confab_cluster/m);
  },
);

test('gateways are shown with their clients, and with those that have ended', LONG, async () => {
  const server = await startProcess({ ...OPERATOR, CONFAB_GATEWAYS: '2' });
  const { ask } = await openConsole(String((await confab(server.data, 'console'))[0]?.['url']));
  expect(await ask('server')).toMatchObject({ clusterNode: null, gateways: 2 });
  const socket = await server.socket(server.people['mel'] ?? expect.fail());
  socket.send({ type: 'register', params: { event_types: ['message'] } });
  await socket.frame('registered');
  await expect
    .poll(async () => {
      const { gateways } = await ask<GatewaysView>('gateways');
      return gateways.reduce((sum, { sockets }) => sum + sockets, 0);
    }, SOON)
    .toBe(1);
  await expect
    .poll(async () => {
      const { gateways } = await ask<GatewaysView>('gateways');
      return Math.min(...gateways.map(({ rssBytes }) => rssBytes));
    }, SOON)
    .toBeGreaterThan(1e6);
  const seen = await ask<GatewaysView>('gateways');
  expect(seen).toMatchObject({ wanted: 2, ended: 0, lastEnd: null });
  const pids = gatewaysOf(server);
  expect(seen.gateways.map(({ pid }) => pid).sort()).toEqual([...pids].sort());
  const [killed = expect.fail()] = pids;
  process.kill(killed, 'SIGKILL');
  await expect
    .poll(() => ask<GatewaysView>('gateways'), SOON)
    .toMatchObject({ ended: 1, lastEnd: { why: 'it ended with SIGKILL' } });
  await expect
    .poll(async () => (await ask<GatewaysView>('gateways')).gateways.length, SOON)
    .toBe(2);
});
