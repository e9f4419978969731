import { join } from 'node:path';
import { checkStore } from '../../../storage/pages/store-check.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { readPlace, writePlace } from '../../../storage/replication/store-place.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { holdsOf } from '../nodes/node-file.ts';
import { shardOf } from '../placement.ts';
import { realmFolder, realmIdsIn } from '../realm-folders.ts';
import { decodeRecord, encodeRecord, newRecordId } from '../records/record.ts';
import { SnapshotError } from './manifest.ts';
import type { Snapshots } from './snapshot.ts';

export interface RebuildInput {
  /** The data directory of a node, which does not run; its stores become what the cluster has. */
  readonly data: string;
  readonly node: string;
  readonly shards: number;
  readonly openLog: (shard: number) => Promise<ShardLog>;
  readonly snapshots: Snapshots;
  readonly now: () => number;
}

export interface RebuiltShard {
  readonly shard: number;
  readonly realms: readonly number[];
  readonly place: Place;
}

/**
 * Begins the logs of shards again after a loss: the first record of each is a claim of this node,
 * over the stores that it has. Other nodes find that their stores are not of this log, and take the
 * snapshots that are made here. A shard that the node was still copying has realms of which it has
 * nothing, and is left to others. A log that has records of another origin is refused; an attempt
 * that was cut short is gone on with.
 */
export async function rebuildLogs(input: RebuildInput): Promise<readonly RebuiltShard[]> {
  const ofShards = new Map<number, number[]>();
  const holds = holdsOf(input.data);
  for (const id of realmIdsIn(input.data)) {
    const shard = shardOf(id, input.shards);
    if (holds?.includes(shard) === false) continue;
    ofShards.set(shard, [...(ofShards.get(shard) ?? []), id]);
  }
  const work: (() => Promise<RebuiltShard>)[] = [];
  for (const [shard, realms] of ofShards) {
    const places = await placesOf(input.data, realms);
    const log = await input.openLog(shard);
    const claim = await claimIn(log, input.node);
    // All logs are looked at before anything is changed.
    work.push(() => rebuildShard(input, { shard, realms, log, places, claim }));
  }
  const rebuilt: RebuiltShard[] = [];
  for (const rebuild of work) rebuilt.push(await rebuild());
  return rebuilt;
}

interface Shard {
  readonly shard: number;
  readonly realms: readonly number[];
  readonly log: ShardLog;
  readonly places: readonly (Place | null)[];
  /** The claim of an earlier attempt; null if the log is empty. */
  readonly claim: Place | null;
}

async function rebuildShard(
  { data, node, snapshots, now }: RebuildInput,
  { shard, realms, log, places, claim }: Shard,
): Promise<RebuiltShard> {
  const place = claim ?? (await appendFirst(log, { node, places, at: now() }));
  for (const realmId of realms) {
    const folder = realmFolder(data, realmId);
    await writePlace(folder, place);
    const source = openReplica(folder);
    try {
      await snapshots.take({ shard, realmId, source, scratch: join(data, 'rebuilding') });
    } finally {
      await source.close();
    }
    // Older ones are of the log that is lost.
    await snapshots.forgetOlder({ shard, realmId }, 1);
  }
  return { shard, realms, place };
}

interface First {
  readonly node: string;
  readonly places: readonly (Place | null)[];
  readonly at: number;
}

async function appendFirst(log: ShardLog, { node, places, at }: First): Promise<Place> {
  const id = newRecordId();
  const epoch = Math.max(0, ...places.map((place) => place?.epoch ?? 0)) + 1;
  const head = { epoch, id, former: '', schema: SCHEMA_VERSION, at };
  const body = encodeRecord(head, { kind: 'claim', node });
  if ((await log.append({ expected: 0, id, epoch, body })) === 'refused') {
    throw new SnapshotError('another node has begun the log meanwhile');
  }
  return { sequence: 1, id, epoch };
}

/** Returns the only record of a log, which an earlier attempt of this node has written. */
async function claimIn(log: ShardLog, node: string): Promise<Place | null> {
  const last = await log.last();
  if (last === 0) return null;
  const record = last === 1 ? await log.record(1) : undefined;
  if (record !== undefined) {
    const { payload } = decodeRecord(record.body);
    if (payload.kind === 'claim' && payload.node === node) {
      return { sequence: 1, id: record.id, epoch: record.epoch };
    }
  }
  throw new SnapshotError(
    `the log has ${last} records: rebuild one only after its stream was lost or removed`,
  );
}

/** Returns how far the stores of a node have followed. */
async function placesOf(
  data: string,
  realmIds: readonly number[],
): Promise<readonly (Place | null)[]> {
  const places: (Place | null)[] = [];
  for (const realmId of realmIds) {
    const folder = realmFolder(data, realmId);
    checkStore(folder);
    places.push(await readPlace(folder));
  }
  return places;
}
