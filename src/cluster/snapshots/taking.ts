import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import { contentOf, type ObjectStore } from '../../../storage/objects/object-store.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { completeCopy } from '../../../storage/replication/store-place.ts';
import { decodeManifest, encodeManifest } from './manifest.ts';
import type { Snapshot, TakeInput } from './snapshot.ts';

interface TakingInput {
  readonly objects: ObjectStore;
  /** The keys of all snapshots of the cluster begin with this. */
  readonly root: string;
  readonly cluster: string;
  readonly node: string;
  readonly now: () => number;
}

/** Stores a copy of a store, and then its description, without which it is no snapshot. */
export async function takeSnapshot(
  { objects, root, cluster, node, now }: TakingInput,
  { shard, realmId, source, scratch }: TakeInput,
): Promise<Snapshot> {
  const folder = join(scratch, `snapshot-${randomBytes(6).toString('hex')}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await source.copyTo(folder);
    await completeCopy(folder);
    const copy = await lookInto(folder);
    if (copy.realmId !== realmId) throw new Error(`the copy is of realm ${copy.realmId}`);
    const path = join(folder, STORE_FILE);
    const bytes = statSync(path).size;
    // Two nodes may take one at the same place, with other bytes.
    const name = `${nameOf(copy.place)}-${randomBytes(4).toString('hex')}`;
    const start = `${shard}/${realmId}/${name}`;
    const sha256 = await hashOf(path);
    await objects.put(`${root}${start}.mdb`, {
      bytes,
      chunks: (range) =>
        createReadStream(path, {
          start: range.start,
          end: range.end - 1,
          highWaterMark: READ_BYTES,
        }),
    });
    const description = encodeManifest({
      cluster,
      shard,
      realm: realmId,
      place: copy.place,
      schema: copy.schema,
      last_event_id: copy.head,
      store: `${start}.mdb`,
      bytes,
      sha256,
      taken_at: new Date(now()).toISOString(),
      node,
    });
    const key = `${root}${start}.json`;
    await objects.put(key, contentOf(description));
    return { ...decodeManifest(description, key), key };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const READ_BYTES = 256 * 1024;

/** Digits of the place in the name of a snapshot: their names are in the order of the log. */
const nameOf = (place: Place | null): string =>
  `${String(place?.sequence ?? 0).padStart(15, '0')}-${place?.id ?? 'none'}`;

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

/** Reads of which realm and moment a store is that nobody else has open. */
export async function lookInto(folder: string) {
  const replica = openReplica(folder);
  try {
    const row = replica.reader.realm.get(['realm']);
    return {
      realmId: row?.id,
      place: replica.applied(),
      head: replica.reader.head(),
      schema: replica.schema(),
    };
  } finally {
    await replica.close();
  }
}
