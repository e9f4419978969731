import { rmSync } from 'node:fs';
import { pino } from 'pino';
import { expect, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../actors/clock.ts';
import { runCommand } from '../../../src/admin/commands.ts';
import { type App, startApp } from '../../../src/app.ts';
import type { MemoryCluster, MemoryNode } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { readSettings } from '../../../src/config.ts';
import { SERIALIZERS } from '../../../src/log.ts';
import { type Client, openClient } from '../client.ts';
import { type MemoryObjects, memoryObjects } from '../files/memory-objects.ts';
import { LIMITS_OF_TESTS } from '../limits-of-tests.ts';
import { makeScratch } from '../scratch.ts';
import { PEOPLE, type Person, type PersonName } from '../users.ts';

/** A node of a cluster in the memory of the test. */
export interface TestNode extends Client {
  readonly name: string;
  readonly app: App;
  readonly data: string;
  readonly store: MemoryNode;
  /** The errors that it has logged. */
  readonly errors: string[];
  /** Ends it as a kill does: nothing of what it still does reaches the others. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestCluster {
  readonly log: MemoryCluster;
  /** The objects that the nodes share: files and snapshots. */
  readonly objects: MemoryObjects;
  readonly shards: number;
  /** Moves the time of all nodes; timers stay as they are. */
  leap(ms: number): void;
  /** Starts a node, or starts it again. */
  start(name: string): Promise<TestNode>;
  /** Resolves with the node that owns all shards. */
  owner(): Promise<TestNode>;
  /** Resolves with a node that owns a shard. */
  someOwner(): Promise<TestNode>;
  /** Returns the nodes that run. */
  running(): readonly TestNode[];
}

const SILENCE_MS = 500;
const ABSENCE_MS = 1_500;

/** As many as there are: each node has everything. */
const ALL = 100;

export function openTestCluster({ shards = 1, copies = ALL } = {}): TestCluster {
  const log = openMemoryCluster();
  const objects = memoryObjects();
  let leapt = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + leapt };
  const folders = new Map<string, string>();
  const nodes = new Map<string, TestNode>();
  onTestFinished(async () => {
    await Promise.all(Array.from(nodes.values(), (node) => node.stop()));
    for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string): Promise<TestNode> {
    const data = folders.get(name) ?? makeScratch();
    folders.set(name, data);
    const store = log.openNode(name);
    const errors: string[] = [];
    const app = await startApp({
      settings: readSettings({
        CONFAB_DATA: data,
        CONFAB_PORT: '0',
        CONFAB_OPERATOR: 'off',
        CONFAB_MIN_FREE_MIB: '0',
        CONFAB_PREVIEWS: '0',
        ...LIMITS_OF_TESTS,
        CONFAB_CLUSTER: 'nats://in-memory:4222',
        CONFAB_CLUSTER_ADDRESS: '127.0.0.1:0',
        CONFAB_CLUSTER_SHARDS: String(shards),
        CONFAB_NODE: name,
        // Files are in the objects of the test.
        CONFAB_CLUSTER_UNSAFE: '1',
        CONFAB_SILENCE_MS: String(SILENCE_MS),
        CONFAB_COPIES: String(copies),
        CONFAB_ABSENCE_MS: String(ABSENCE_MS),
      }),
      log: pino(
        { level: 'error', serializers: SERIALIZERS },
        { write: (line: string) => void errors.push(line) },
      ),
      onFatal: (error) => void errors.push(`fatal: ${String(error)}`),
      clusterStore: store,
      clusterObjects: objects,
      clock,
    });
    let isRunning = true;
    const stop = async () => {
      if (!isRunning) return;
      isRunning = false;
      nodes.delete(name);
      await app.stop();
    };
    const node: TestNode = {
      ...openClient(() => app.port, 'test.localhost'),
      name,
      app,
      data,
      store,
      errors,
      stop,
      async kill() {
        store.cut('both');
        await store.close();
        await stop();
      },
    };
    nodes.set(name, node);
    return node;
  }

  return {
    log,
    objects,
    shards,
    leap(ms) {
      leapt += ms;
    },
    start,
    running: () => [...nodes.values()],
    someOwner: () =>
      vi.waitFor(
        () => {
          const owner = Array.from(nodes.values()).find(({ app }) => owned(app) > 0);
          if (owner === undefined) throw new Error('no node owns a shard');
          return owner;
        },
        { timeout: 20_000, interval: 20 },
      ),
    owner: () =>
      vi.waitFor(
        () => {
          const owner = Array.from(nodes.values()).find(({ app }) => owned(app) === shards);
          if (owner === undefined) throw new Error('no node owns all shards');
          return owner;
        },
        { timeout: 20_000, interval: 20 },
      ),
  };
}

const owned = ({ node }: App): number =>
  node?.describe().shards.filter(({ state }) => state === 'owning').length ?? 0;

/** Makes the realm that most tests begin with, and waits until all nodes have it. */
export async function makeTestRealm(
  cluster: TestCluster,
): Promise<Readonly<Record<PersonName, Person>>> {
  const { app } = await cluster.someOwner();
  await runCommand(app.realms, 'realm create', { name: 'test' });
  const people: Record<string, Person> = {};
  for (const { name, fullName, role } of PEOPLE) {
    const [line] = await runCommand(app.realms, 'user create', {
      realm: 'test',
      email: `${name}@example.com`,
      name: fullName,
      role,
    });
    people[name] = personOf(fullName, line);
  }
  await caughtUp(cluster);
  return people as Record<PersonName, Person>;
}

/** Resolves when all nodes have applied what the owners have stored. */
export async function caughtUp(cluster: TestCluster) {
  await vi.waitFor(
    () => {
      for (let shard = 0; shard < cluster.shards; shard++) {
        const last = cluster.log.recordsOf(shard).at(-1)?.sequence ?? 0;
        for (const { app } of cluster.running()) {
          expect(app.node?.describe().shards[shard]).toMatchObject({ sequence: last });
        }
      }
    },
    { timeout: 20_000, interval: 20 },
  );
}

function personOf(fullName: string, line: object | undefined): Person {
  const { user_id, email, api_key } = line as { user_id: number; email: string; api_key: string };
  return { id: user_id, email, fullName, apiKey: api_key };
}
