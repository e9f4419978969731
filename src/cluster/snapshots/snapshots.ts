import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../../storage/files/disk.ts';
import { diskCode } from '../../../storage/files/disk-fault.ts';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import { contentOf, type ObjectStore, shortObject } from '../../../storage/objects/object-store.ts';
import { checkStore } from '../../../storage/pages/store-check.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { completeCopy } from '../../../storage/replication/store-place.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import {
  decodeManifest,
  encodeManifest,
  MANIFEST_BYTES_MAX,
  SnapshotError,
  type SnapshotManifest,
} from './manifest.ts';

/** A copy of a realm's store with its place in the log, as it is in the store of objects. */
export interface Snapshot extends SnapshotManifest {
  /** The key of its description. */
  readonly key: string;
}

/** A store that can be copied while it is used: a replica, or one that is frozen. */
export interface SnapshotSource {
  /** Writes a copy of one moment, with its place, into an empty folder. */
  copyTo(folder: string): Promise<void>;
}

export interface TakeInput {
  readonly shard: number;
  readonly realmId: number;
  readonly source: SnapshotSource;
  /** A folder in which the copy is made, and removed again. */
  readonly scratch: string;
}

export interface OfRealm {
  readonly shard: number;
  readonly realmId: number;
}

/** The snapshots of a cluster. */
export interface Snapshots {
  /** Stores a snapshot of a realm: all of it or nothing. */
  take(input: TakeInput): Promise<Snapshot>;
  /** Returns the ids of the realms of a shard that have snapshots. */
  realms(shard: number): Promise<readonly number[]>;
  /** Returns the whole snapshots of a realm, the newest first. */
  list(realm: OfRealm): Promise<readonly Snapshot[]>;
  newest(realm: OfRealm): Promise<Snapshot | undefined>;
  /**
   * Makes a store of a snapshot in a folder that is empty or not there. Throws `SnapshotError`, and
   * changes nothing, if the snapshot is damaged or is not that of this realm of this cluster.
   * Returns the place from which the store follows the log.
   */
  restore(snapshot: Snapshot, realm: OfRealm, folder: string): Promise<Place | null>;
  /** Removes all but the newest snapshots of a realm, and returns how many were removed. */
  forgetOlder(realm: OfRealm, kept?: number): Promise<number>;
}

interface SnapshotsInput {
  readonly objects: ObjectStore;
  /** The id that the cluster was founded with. */
  readonly cluster: string;
  readonly node: string;
  readonly now: () => number;
}

/** The log is kept from the second newest on, so that a damaged one loses nothing. */
export const SNAPSHOTS_KEPT = 2;
/** The store of a snapshot without a description after so long was left by a node that ended. */
const UNFINISHED_MS = 86_400_000;
/** Bytes that are synced at once while a snapshot is written to the disk. */
const SYNC_BYTES = 16 * 1024 * 1024;

export function openSnapshots({ objects, cluster, node, now }: SnapshotsInput): Snapshots {
  const root = `clusters/${cluster}/snapshots/`;
  const folderOf = ({ shard, realmId }: OfRealm) => `${root}${shard}/${realmId}/`;

  async function read(key: string): Promise<Snapshot> {
    const bytes = await shortObject(objects, key, MANIFEST_BYTES_MAX);
    return { ...decodeManifest(bytes, key), key };
  }

  async function list(realm: OfRealm): Promise<readonly Snapshot[]> {
    const keys: string[] = [];
    for await (const { key } of objects.list(folderOf(realm))) {
      if (key.endsWith('.json')) keys.push(key);
    }
    const found: Snapshot[] = [];
    for (const key of keys) {
      // One that is damaged, or that another node has just removed, is as good as none.
      const snapshot = await read(key).catch(ifUnusable);
      if (snapshot !== undefined) found.push(snapshot);
    }
    return found.sort(newestFirst);
  }

  return {
    async take({ shard, realmId, source, scratch }) {
      const folder = join(scratch, `snapshot-${randomBytes(6).toString('hex')}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await source.copyTo(folder);
        await completeCopy(folder);
        const copy = await lookInto(folder);
        if (copy.realmId !== realmId) throw new Error(`the copy is of realm ${copy.realmId}`);
        const path = join(folder, STORE_FILE);
        const bytes = statSync(path).size;
        const name = `${nameOf(copy.place)}-${randomBytes(4).toString('hex')}`;
        const store = `${folderOf({ shard, realmId })}${name}.mdb`;
        const sha256 = await hashOf(path);
        await objects.put(store, {
          bytes,
          chunks: ({ start, end }) =>
            createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES }),
        });
        const fields = {
          cluster,
          shard,
          realm: realmId,
          place: copy.place,
          schema: SCHEMA_VERSION,
          last_event_id: copy.head,
          store: store.slice(root.length),
          bytes,
          sha256,
          taken_at: new Date(now()).toISOString(),
          node,
        };
        const key = `${folderOf({ shard, realmId })}${name}.json`;
        await objects.put(key, contentOf(encodeManifest(fields)));
        return await read(key);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async realms(shard) {
      const ids = new Set<number>();
      for await (const { key } of objects.list(`${root}${shard}/`)) {
        const [, id] = /\/(\d+)\/[^/]+\.json$/.exec(key) ?? [];
        if (id !== undefined) ids.add(Number(id));
      }
      return [...ids];
    },
    list,
    newest: async (realm) => (await list(realm))[0],
    async restore(snapshot, realm, folder) {
      refuseForeign(snapshot, { cluster, ...realm });
      if (existsSync(folder) && readdirSync(folder).length > 0) {
        throw new SnapshotError(`${folder} is not empty: a snapshot is restored into an empty one`);
      }
      const aside = join(
        dirname(folder),
        `.new-${basename(folder)}-${randomBytes(6).toString('hex')}`,
      );
      await mkdir(aside, { recursive: true, mode: 0o700 });
      try {
        await download(objects, `${root}${snapshot.store}`, { snapshot, aside });
        await verify(snapshot, aside);
        await rm(folder, { recursive: true, force: true });
        await rename(aside, folder);
        await syncFolder(dirname(folder));
      } finally {
        await rm(aside, { recursive: true, force: true });
      }
      return snapshot.place;
    },
    async forgetOlder(realm, kept = SNAPSHOTS_KEPT) {
      const all = await list(realm);
      const older = all.slice(kept);
      for (const { key, store } of older) {
        // Without its description a snapshot is none.
        await objects.remove(key);
        await objects.remove(`${root}${store}`);
      }
      const known = new Set(all.slice(0, kept).map(({ store }) => `${root}${store}`));
      for await (const { key, storedAt } of objects.list(folderOf(realm))) {
        const isOld = storedAt < Date.now() - UNFINISHED_MS;
        if (key.endsWith('.mdb') && isOld && !known.has(key)) await objects.remove(key);
      }
      return older.length;
    },
  };
}

const READ_BYTES = 256 * 1024;

/** Digits of the place in the name of a snapshot: their names are in the order of the log. */
const nameOf = (place: Place | null): string =>
  `${String(place?.sequence ?? 0).padStart(15, '0')}-${place?.id ?? 'none'}`;

function ifUnusable(error: unknown): undefined {
  if (error instanceof SnapshotError || diskCode(error) === 'ENOENT') return;
  throw error;
}

/** A log that was begun again has a later epoch and lower numbers. */
const newestFirst = (one: Snapshot, other: Snapshot): number =>
  (other.place?.epoch ?? 0) - (one.place?.epoch ?? 0) ||
  (other.place?.sequence ?? 0) - (one.place?.sequence ?? 0) ||
  Date.parse(other.taken_at) - Date.parse(one.taken_at);

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

/** Reads of which realm and moment a store is that nobody else has open. */
async function lookInto(folder: string) {
  const replica = openReplica(folder);
  try {
    const row = replica.reader.realm.get(['realm']);
    return { realmId: row?.id, place: replica.applied(), head: replica.reader.head() };
  } finally {
    await replica.close();
  }
}

function refuseForeign(
  { key, ...of }: Snapshot,
  wanted: OfRealm & { readonly cluster: string },
): void {
  if (of.cluster !== wanted.cluster) {
    throw new SnapshotError(`${key} is of cluster ${of.cluster}, not of ${wanted.cluster}`);
  }
  if (of.shard !== wanted.shard || of.realm !== wanted.realmId) {
    throw new SnapshotError(
      `${key} is of realm ${of.realm} in shard ${of.shard}, not of ${wanted.realmId} in ${wanted.shard}`,
    );
  }
  if (of.schema !== SCHEMA_VERSION) {
    throw new SnapshotError(
      `${key} has schema ${of.schema}, and this version of confab follows logs of schema ${SCHEMA_VERSION}`,
    );
  }
}

interface Download {
  readonly snapshot: Snapshot;
  readonly aside: string;
}

async function download(objects: ObjectStore, key: string, { snapshot, aside }: Download) {
  const hash = createHash('sha256');
  const file = await open(join(aside, STORE_FILE), 'wx', 0o600);
  let bytes = 0;
  let unsynced = 0;
  try {
    for await (const chunk of objects.chunks(key)) {
      bytes += chunk.length;
      if (bytes > snapshot.bytes) break;
      hash.update(chunk);
      await file.writeFile(chunk);
      unsynced += chunk.length;
      if (unsynced < SYNC_BYTES) continue;
      await file.datasync();
      unsynced = 0;
    }
    await file.sync();
  } catch (error) {
    if (diskCode(error) === 'ENOENT') throw damaged(snapshot, 'its store is missing');
    throw error;
  } finally {
    await file.close();
  }
  if (bytes !== snapshot.bytes) {
    throw damaged(snapshot, `its store has ${bytes} bytes or more, not ${snapshot.bytes}`);
  }
  if (hash.digest('hex') !== snapshot.sha256) throw damaged(snapshot, 'its bytes have changed');
}

/** Its bytes are those that were stored; this says whether they are what they are said to be. */
async function verify(snapshot: Snapshot, aside: string) {
  checkStore(aside);
  const { realmId, place, head } = await lookInto(aside);
  const isSame =
    realmId === snapshot.realm &&
    head === snapshot.last_event_id &&
    JSON.stringify(place) === JSON.stringify(snapshot.place);
  if (!isSame) throw damaged(snapshot, 'its store is not the one that it describes');
}

const damaged = ({ key }: Snapshot, why: string) => new SnapshotError(`${key} is damaged: ${why}`);
