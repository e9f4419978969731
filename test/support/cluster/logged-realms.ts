import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import type { ShardLog, StoredRecord } from '../../../src/cluster/log/shard-log.ts';
import { encodeRecord, newRecordId } from '../../../src/cluster/records/record.ts';
import { openRecordReader } from '../../../src/cluster/records/record-reader.ts';
import { openShardWriter, type ShardWriter } from '../../../src/cluster/shard-writer.ts';
import type { CommitLog, Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { allRows } from './all-rows.ts';

/** A cluster of one server: its realms are one shard, whose log is in memory. */
export interface LoggedRealms {
  /** Claims the shard for a server that starts now, and returns the logs of its realms. */
  claim(): (realmId: number) => CommitLog;
  /** The records of the log, the oldest first. */
  records(): readonly StoredRecord[];
  /**
   * Follows the log with a replica of each realm, from the state in which the server first opened
   * it, and returns the rows in which any differs from the server's own store, which is closed.
   */
  differences(): Promise<readonly string[]>;
  close(): void;
}

const SHARD = 0;

/** Takes the folder of all realms of the server. */
export function openLoggedRealms(realms: string, now: () => number): LoggedRealms {
  const cluster = openMemoryCluster();
  const opened = cluster.openNode('one').openLog(SHARD);
  const bases = mkdtempSync(join(tmpdir(), 'confab-bases-'));
  let last: Promise<Place | null> = Promise.resolve(null);

  /** Keeps a store as it is before the log has anything of it. */
  function keepBase(realmId: number) {
    const base = join(bases, String(realmId));
    const store = join(realms, String(realmId), 'data.mdb');
    if (!existsSync(base) && existsSync(store)) cpSync(store, join(base, 'data.mdb'));
  }

  return {
    claim() {
      const writer = claimed(opened, last, now);
      last = writer.then((owner) => owner.last());
      return (realmId) => {
        keepBase(realmId);
        return {
          append: async (commit) => {
            const owner = await writer;
            const place = await owner.commitLogOf(realmId).append(commit);
            last = Promise.resolve(owner.last());
            return place;
          },
        };
      };
    },
    records: () => cluster.recordsOf(SHARD),
    async differences() {
      const found: string[] = [];
      const replicas = mkdtempSync(join(tmpdir(), 'confab-replicas-'));
      cpSync(bases, replicas, { recursive: true });
      for (const [realmId, replica] of await followed(replicas, cluster.recordsOf(SHARD))) {
        const own = join(realms, String(realmId));
        if (!existsSync(own)) continue; // the realm was removed
        found.push(...(await differing(replica, own)));
      }
      rmSync(replicas, { recursive: true });
      return found;
    },
    close: () => rmSync(bases, { recursive: true, force: true }),
  };
}

async function claimed(
  opened: Promise<ShardLog>,
  before: Promise<Place | null>,
  now: () => number,
): Promise<ShardWriter> {
  const log = await opened;
  const last = await before;
  const id = newRecordId();
  const epoch = (last?.epoch ?? 0) + 1;
  const at = now();
  const head = { epoch, id, former: last?.id ?? '', schema: SCHEMA_VERSION, at };
  const body = encodeRecord(head, { kind: 'claim', node: 'one' });
  const expected = last?.sequence ?? 0;
  if ((await log.append({ expected, id, epoch, body })) === 'refused') {
    throw new Error('the only node was refused its claim');
  }
  const claim = { sequence: expected + 1, id, epoch };
  return openShardWriter({
    log,
    claim,
    at,
    schema: SCHEMA_VERSION,
    now,
    onDeposed: () => undefined,
  });
}

/** Follows the log with the stores in a folder. Returns those that it has writes of, closed. */
async function followed(replicasIn: string, records: readonly StoredRecord[]) {
  const replicas = new Map<number, ReturnType<typeof openReplica>>();
  const folder = (realmId: number) => join(replicasIn, String(realmId));
  const reader = openRecordReader(null);
  // Records that come during a sync share the next transaction.
  const applied: Promise<void>[] = [];
  for (const stored of records) {
    const record = await reader.read(stored);
    if (record?.kind !== 'writes') continue;
    for (const { realmId, writes } of record.realms) {
      const replica = replicas.get(realmId) ?? openReplica(folder(realmId));
      replicas.set(realmId, replica);
      applied.push(replica.apply(writes, record.place));
    }
  }
  await Promise.all(applied);
  for (const replica of replicas.values()) await replica.close();
  return Array.from(replicas.keys(), (realmId) => [realmId, folder(realmId)] as const);
}

async function differing(replica: string, own: string): Promise<readonly string[]> {
  const [theirs, ours] = [new Set(await allRows(replica)), new Set(await allRows(own))];
  return [
    ...[...theirs].filter((row) => !ours.has(row)).map((row) => `only the replica: ${row}`),
    ...[...ours].filter((row) => !theirs.has(row)).map((row) => `only the owner: ${row}`),
  ];
}
