import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../storage/files/disk.ts';
import type { OpenFiles } from '../../../storage/files/open-file-store.ts';
import { replaceFile } from '../../../storage/files/replace-file.ts';
import { checkStore } from '../../../storage/pages/store-check.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { writePlace } from '../../../storage/replication/store-place.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { SharedValues } from '../log/bus.ts';
import type { ClusterStore } from '../log/cluster-store.ts';
import { packed } from '../nodes/frames.ts';
import { shardOf } from '../placement.ts';
import { realmFolder, realmIdsIn, realmsFolder, uploadsFolder } from '../realm-folders.ts';
import { newestIn } from '../realms/importing.ts';
import { type Entry, entryKey, readEntry } from '../realms/registry.ts';
import { SnapshotError } from './manifest.ts';
import type { Snapshots } from './snapshot.ts';

export interface AdoptInput {
  /** A data directory that no server has open. */
  readonly data: string;
  readonly snapshots: Snapshots;
  /** Opens the files of a realm in the store that the nodes share. */
  readonly openFiles: OpenFiles;
  readonly values: SharedValues;
  readonly openLog: ClusterStore['openLog'];
  /** The number of shards of the cluster. */
  readonly shards: number;
}

export interface AdoptedRealm {
  readonly realm: number;
  readonly shard: number;
  readonly bytes: number;
  readonly files: number;
}

/** Names the directory, so that an adoption which was cut short is gone on with. */
const TOKEN_FILE = 'adoption';
/** The folder and the list of realms of a directory that a cluster has. */
const ADOPTED = '.adopted';

/**
 * Makes the realms of a data directory realms of a cluster. Each is a snapshot first, with all of
 * its files, and then has its number in the cluster: from that moment on nodes take it from there.
 * The directory keeps its stores, under another name, so that no server serves them again.
 */
export async function adoptDirectory(input: AdoptInput): Promise<readonly AdoptedRealm[]> {
  const { data, values } = input;
  const ids = realmIdsIn(data);
  if (ids.length === 0) throw new SnapshotError(`${data} has no realm that a cluster could have`);
  const token = tokenOf(data);
  const left: number[] = [];
  for (const id of ids) if (!(await isAdopted(values, id, token))) left.push(id);
  const adopted: AdoptedRealm[] = [];
  for (const id of left) adopted.push(await adoptRealm(input, id));
  for (const id of left) {
    await values.putNew(entryKey(id), packed({ is: 'there', from: token } satisfies Entry));
    await isAdopted(values, id, token);
  }
  await rename(realmsFolder(data), `${realmsFolder(data)}${ADOPTED}`);
  const list = join(data, 'realms.json');
  if (existsSync(list)) await rename(list, `${list}${ADOPTED}`);
  await syncFolder(data);
  return adopted;
}

async function adoptRealm(input: AdoptInput, realmId: number): Promise<AdoptedRealm> {
  const { data, snapshots, openFiles, openLog, shards } = input;
  const folder = realmFolder(data, realmId);
  const shard = shardOf(realmId, shards);
  checkStore(folder);
  // This migrates a store of an earlier version, as a start of the server would.
  await openRealmStore(folder).close();
  // No record is about the realm yet, so it may follow from the newest one on.
  await writePlace(folder, await newestIn(await openLog(shard)));
  const files = openFiles(uploadsFolder(data, realmId), realmId);
  const copied = await files.moveToStore({ isCopy: true });
  const source = openReplica(folder);
  try {
    const scratch = join(data, 'adopting');
    const { bytes } = await snapshots.take({ shard, realmId, source, scratch });
    await snapshots.forgetOlder({ shard, realmId }, 1);
    return { realm: realmId, shard, bytes, files: copied };
  } finally {
    await source.close();
  }
}

/** Tells whether the cluster has a realm from this directory. Throws if it has another one. */
async function isAdopted(values: SharedValues, realmId: number, token: string): Promise<boolean> {
  const known = await readEntry(values, realmId);
  if (known === undefined) return false;
  if (known.is === 'there' && known.from === token) return true;
  throw new SnapshotError(
    `the cluster has a realm ${realmId} already: export this one, and import it there`,
  );
}

function tokenOf(data: string): string {
  const file = join(data, TOKEN_FILE);
  if (!existsSync(file)) replaceFile(file, `adopted ${randomBytes(8).toString('hex')}`);
  return readFileSync(file, 'utf8');
}
