import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openRecordReader } from '../../../src/cluster/records/record-reader.ts';
import { allRows } from '../../../storage/replication/all-rows.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { makeScratch } from '../scratch.ts';
import type { TestCluster } from './nodes.ts';

/**
 * Stops all nodes. Returns a hash over all rows of the copy of a realm that each has which has one,
 * when what the log has is applied to it, and of one that is made from the log alone.
 */
export async function copiesOf(
  cluster: TestCluster,
  { realmId = 1, shard = 0 } = {},
): Promise<ReadonlyMap<string, string>> {
  const nodes = [...cluster.running()];
  await Promise.all(nodes.map((node) => node.stop()));
  const own = makeScratch();
  const holders = nodes.filter(({ data }) => existsSync(join(data, 'realms', String(realmId))));
  const copies = [
    { name: 'the log', path: own },
    ...holders.map(({ name, data }) => ({ name, path: join(data, 'realms', String(realmId)) })),
  ];
  const hashes = new Map<string, string>();
  for (const { name, path } of copies) {
    await applyRest(cluster, { path, realmId, shard });
    hashes.set(name, hashOf(await allRows(path)));
  }
  rmSync(own, { recursive: true, force: true });
  return hashes;
}

interface Copy {
  readonly path: string;
  readonly realmId: number;
  readonly shard: number;
}

/** Applies what a copy lacks. */
async function applyRest({ log }: TestCluster, { path, realmId, shard }: Copy) {
  const replica = openReplica(path);
  const behind = replica.applied();
  const reader = openRecordReader(behind);
  for (const stored of log.recordsOf(shard)) {
    if (stored.sequence <= (behind?.sequence ?? 0)) continue;
    const record = await reader.read(stored);
    if (record?.kind !== 'writes') continue;
    for (const commit of record.realms) {
      if (commit.realmId === realmId) await replica.apply(commit.writes, record.place);
    }
  }
  await replica.close();
}

/** Hashes rows with their tables and keys. */
function hashOf(rows: Awaited<ReturnType<typeof allRows>>): string {
  const hash = createHash('sha256');
  for (const [table, written] of rows) {
    hash.update(table);
    for (const [key, row] of written) hash.update(JSON.stringify(key)).update(row ?? '');
  }
  return hash.digest('hex');
}
