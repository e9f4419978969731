import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../../storage/files/disk.ts';
import { diskCode } from '../../../storage/files/disk-fault.ts';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { checkStore } from '../../../storage/pages/store-check.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { SnapshotError } from './manifest.ts';
import type { OfRealm, Snapshot } from './snapshot.ts';
import { lookInto } from './taking.ts';

/** Bytes that are synced at once while a snapshot is written to the disk. */
const SYNC_BYTES = 16 * 1024 * 1024;

interface RestoringInput {
  readonly objects: ObjectStore;
  /** The keys of all snapshots of the cluster begin with this. */
  readonly root: string;
  readonly cluster: string;
}

interface Restored {
  readonly snapshot: Snapshot;
  readonly realm: OfRealm;
  readonly folder: string;
}

/** Makes a store beside its folder, which gets its name when all of it is on disk and verified. */
export async function restoreSnapshot(
  { objects, root, cluster }: RestoringInput,
  { snapshot, realm, folder }: Restored,
): Promise<Place | null> {
  refuseForeign(snapshot, { cluster, ...realm });
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new SnapshotError(`${folder} is not empty: a snapshot is restored into an empty one`);
  }
  const random = randomBytes(6).toString('hex');
  const aside = join(dirname(folder), `.new-${basename(folder)}-${random}`);
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
  if (of.schema > SCHEMA_VERSION) {
    throw new SnapshotError(
      `${key} has schema ${of.schema}, and this version of confab knows schema ${SCHEMA_VERSION}`,
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
