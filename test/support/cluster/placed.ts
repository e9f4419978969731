import { expect, vi } from 'vitest';
import { shardOf } from '../../../src/cluster/placement.ts';
import type { Person, PersonName } from '../users.ts';
import { makeTestRealm, openTestCluster, type TestCluster, type TestNode } from './nodes.ts';

/** Nodes of which some have copies of the realm, and others pass on what clients ask of it. */
export interface PlacedCluster {
  readonly cluster: TestCluster;
  readonly people: Readonly<Record<PersonName, Person>>;
  readonly nodes: readonly TestNode[];
  readonly realmId: number;
  /** The shard of the realm. */
  readonly shard: number;
  /** Returns the running nodes that have a copy of it, by their names, as one of them sees it. */
  holders(): readonly TestNode[];
  /** Returns the running nodes that have none. */
  others(): readonly TestNode[];
  /** Resolves with the node that owns the shard. */
  owner(): Promise<TestNode>;
  /** Resolves when exactly these have copies that have all of the log. */
  settled(names?: readonly string[]): Promise<void>;
}

const WAIT = { timeout: 30_000, interval: 50 };

export async function startPlaced(
  names: readonly string[],
  { shards = 4, copies = 2 } = {},
): Promise<PlacedCluster> {
  const cluster = openTestCluster({ shards, copies });
  const nodes: TestNode[] = [];
  // One after the other, so that all but the last begin with what others have to copy later.
  for (const name of names) nodes.push(await cluster.start(name));
  await allPlaced(cluster, Math.min(copies, names.length));
  const people = await makeTestRealm(cluster);
  // It is made in a shard of the node that makes it.
  const [realm] = cluster.running().flatMap(({ app }) => app.realms.all());
  const realmId = realm?.id ?? expect.fail('no node writes the realm');
  const shard = shardOf(realmId, shards);
  const hasCopy = ({ app }: TestNode) => {
    const state = app.node?.describe().shards[shard]?.state;
    return state !== 'passing on' && state !== 'joining';
  };
  const placed: PlacedCluster = {
    cluster,
    people,
    nodes,
    realmId,
    shard,
    holders: () => cluster.running().filter(hasCopy),
    others: () => cluster.running().filter((node) => !hasCopy(node)),
    owner: () =>
      vi.waitFor(() => {
        const owner = cluster
          .running()
          .find(({ app }) => app.node?.describe().shards[shard]?.state === 'owning');
        if (owner === undefined) throw new Error('no node owns the shard');
        return owner;
      }, WAIT),
    settled: (wanted) =>
      vi.waitFor(() => {
        const last = cluster.log.recordsOf(shard).at(-1)?.sequence ?? 0;
        for (const { app } of cluster.running()) {
          const described = app.node?.describe().shards[shard];
          const holders = described?.holders ?? [];
          expect(holders.map(({ node }) => node).sort()).toEqual(
            [...(wanted ?? described?.wanted ?? [])].sort(),
          );
          expect(holders.map(({ lag }) => lag)).toEqual(holders.map(() => 0));
          expect(described?.sequence).toBe(last);
        }
      }, WAIT),
  };
  return placed;
}

/** Resolves when each shard has an owner, and the copies that it should have. */
export const allPlaced = (cluster: TestCluster, copies: number) =>
  vi.waitFor(() => {
    for (const { app } of cluster.running()) {
      for (const { owner, holders, wanted } of app.node?.describe().shards ?? []) {
        expect(owner).not.toBeNull();
        expect(holders.map(({ node }) => node).sort()).toEqual([...wanted].sort());
        expect(holders.length).toBe(copies);
      }
    }
  }, WAIT);
