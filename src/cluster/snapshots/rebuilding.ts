import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
import type { Offer, OfferedShard } from './offers.ts';
import type { Snapshots } from './snapshot.ts';

export interface RebuildInput {
  /** The data directory of a node, which does not run; its stores become what the cluster has. */
  readonly data: string;
  readonly node: string;
  readonly shards: number;
  readonly openLog: (shard: number) => Promise<ShardLog>;
  readonly snapshots: Snapshots;
  readonly now: () => number;
  /** Returns the node over whose copy the log of a shard begins. */
  readonly chosenFor: (shard: number) => string;
}

export interface RebuiltShard {
  readonly shard: number;
  readonly realms: readonly number[];
  /** The node that has begun the log. */
  readonly node: string;
  readonly place: Place;
}

/** The folder for copies that are not of the logs which were begun. */
const ASIDE = 'realms.former';

/** Returns the realms of each shard of which the directory of a node has a whole copy. */
export function realmsByShard(
  data: string,
  shards: number,
): ReadonlyMap<number, readonly number[]> {
  const ofShards = new Map<number, number[]>();
  const holds = holdsOf(data);
  for (const id of realmIdsIn(data)) {
    const shard = shardOf(id, shards);
    if (holds?.includes(shard) === false) continue;
    ofShards.set(shard, [...(ofShards.get(shard) ?? []), id]);
  }
  return ofShards;
}

/** Returns what a node has of each shard. */
export async function offerOf(data: string, node: string, shards: number): Promise<Offer> {
  const offered: OfferedShard[] = [];
  for (const [shard, realms] of realmsByShard(data, shards)) {
    const places = await placesOf(data, realms);
    const newest = places.reduce(newer, null);
    offered.push([shard, newest?.epoch ?? 0, newest?.sequence ?? 0, realms]);
  }
  return { node, shards: offered };
}

function newer(one: Place | null, other: Place | null): Place | null {
  if (one === null || other === null) return one ?? other;
  if (one.epoch !== other.epoch) return one.epoch > other.epoch ? one : other;
  return one.sequence >= other.sequence ? one : other;
}

/**
 * Begins the logs of shards again after a loss: the first record of each is a claim of this node,
 * over the stores that it has. Other nodes take the snapshots that are made here. Copies of shards
 * that another node begins are put aside when it has. A shard that the node was still copying has
 * realms of which it has nothing, and is left to others. A log that has other records is refused;
 * an attempt that was cut short is gone on with.
 */
export async function rebuildLogs(input: RebuildInput): Promise<readonly RebuiltShard[]> {
  const own: Shard[] = [];
  const others: Shard[] = [];
  for (const [shard, realms] of realmsByShard(input.data, input.shards)) {
    const places = await placesOf(input.data, realms);
    const log = await input.openLog(shard);
    // All logs are looked at before anything is changed.
    const begun = await claimIn(log);
    const node = begun?.node ?? input.chosenFor(shard);
    (node === input.node ? own : others).push({ shard, realms, log, places, begun, node });
  }
  const claimed: RebuiltShard[] = [];
  // The others wait for these.
  for (const one of own) claimed.push(await claim(input, one));
  for (const one of claimed) await takeSnapshots(input, one);
  const aside: RebuiltShard[] = [];
  for (const one of others) aside.push(await putAside(input, one));
  return [...claimed, ...aside].sort((one, other) => one.shard - other.shard);
}

/** The first record of a log that was begun, and who has written it. */
interface Begun {
  readonly node: string;
  readonly place: Place;
}

interface Shard {
  readonly shard: number;
  readonly realms: readonly number[];
  readonly log: ShardLog;
  readonly places: readonly (Place | null)[];
  /** Null if the log is empty. */
  readonly begun: Begun | null;
  /** The node that begins the log. */
  readonly node: string;
}

async function claim({ node, now }: RebuildInput, { shard, realms, log, places, begun }: Shard) {
  const place = begun?.place ?? (await appendFirst(log, { node, places, at: now() }));
  return { shard, realms, node, place };
}

async function takeSnapshots(
  { data, snapshots }: RebuildInput,
  { shard, realms, place }: RebuiltShard,
) {
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
}

/** Another node has as long to begin a log as it takes to claim all of them. */
const BEGUN_MS_MAX = 30_000;
const LOOK_MS = 200;

/** Puts copies aside that are not of the log which another node has begun. */
async function putAside({ data }: RebuildInput, { shard, realms, log, ...of }: Shard) {
  const until = performance.now() + BEGUN_MS_MAX;
  let { begun } = of;
  while (begun === null && performance.now() < until) {
    await pause(LOOK_MS);
    begun = await claimIn(log);
  }
  if (begun === null) {
    throw new SnapshotError(
      `${of.node} has most of shard ${shard}, and has not begun its log: run the command there, and then here again`,
    );
  }
  mkdirSync(join(data, ASIDE), { recursive: true });
  for (const realmId of realms) {
    const aside = join(data, ASIDE, String(realmId));
    if (existsSync(aside)) {
      throw new SnapshotError(`${aside} is there already: move it away, and run the command again`);
    }
    renameSync(realmFolder(data, realmId), aside);
  }
  return { shard, realms, ...begun };
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

/** Returns the only record of a log, which a node has begun; null if it is empty. */
async function claimIn(log: ShardLog): Promise<Begun | null> {
  const last = await log.last();
  if (last === 0) return null;
  const record = last === 1 ? await log.record(1) : undefined;
  if (record !== undefined) {
    const { payload } = decodeRecord(record.body);
    if (payload.kind === 'claim') {
      return { node: payload.node, place: { sequence: 1, id: record.id, epoch: record.epoch } };
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
