import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../storage/files/disk.ts';
import type { OpenFiles } from '../../../storage/files/open-file-store.ts';
import { keepRealmList } from '../../../storage/files/realm-list.ts';
import { checkStore } from '../../../storage/pages/store-check.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { readPlace, writePlace } from '../../../storage/replication/store-place.ts';
import * as realms from '../../operations/access/realms.ts';
import { openNamedFiles } from '../../operations/files/named-files.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { NODE_FILE } from '../nodes/node-file.ts';
import { shardOf } from '../placement.ts';
import { realmFolder, realmIdsIn, uploadsFolder } from '../realm-folders.ts';
import { openRecordReader } from '../records/record-reader.ts';
import { SnapshotError } from './manifest.ts';

export interface LeaveInput {
  /** The data directory of a node, which does not run. */
  readonly data: string;
  /** Opens the files of a realm in the store that the nodes share. */
  readonly openFiles: OpenFiles;
  readonly shards: number;
  readonly openLog: (shard: number) => Promise<Pick<ShardLog, 'last' | 'record'>>;
}

export interface LeftRealm {
  readonly realm: number;
  readonly names: readonly string[];
  readonly files: number;
}

/**
 * Makes the data directory of a node that of a server by itself, which goes on with the event
 * queues of its clients. Refuses a node that lacks records of the log. All other nodes have to be
 * stopped for good: the log knows nothing of what this server writes.
 */
export async function leaveCluster(input: LeaveInput): Promise<readonly LeftRealm[]> {
  const { data } = input;
  if (!existsSync(join(data, NODE_FILE))) {
    throw new SnapshotError(`${data} is not the directory of a node`);
  }
  const ids = realmIdsIn(data);
  for (const id of ids) await refuseBehind(input, id);
  const left: LeftRealm[] = [];
  for (const id of ids) left.push(await fetchFiles(input, id));
  for (const id of ids) await writePlace(realmFolder(data, id), null);
  keepRealmList(
    data,
    left.map(({ realm, names }) => ({ id: realm, names: [...names] })),
  );
  // A server starts on the directory from here on.
  await rm(join(data, NODE_FILE));
  await syncFolder(data);
  return left;
}

/** Refuses a copy if its log has records about its shard that the copy has not seen. */
async function refuseBehind({ data, openLog, shards }: LeaveInput, realmId: number) {
  const folder = realmFolder(data, realmId);
  checkStore(folder);
  const log = await openLog(shardOf(realmId, shards));
  const place = await readPlace(folder);
  const last = await log.last();
  if (place === null || last === 0) return;
  const known = await log.record(place.sequence);
  if (known !== undefined && known.id !== place.id) {
    throw new SnapshotError(`${folder} is not of this log: record ${place.sequence} differs`);
  }
  if (await hasWritesFor(log, realmId, { place, last })) {
    throw new SnapshotError(
      `${folder} lacks records of its log after ${place.sequence}: start the node until it has read them`,
    );
  }
}

interface Rest {
  readonly place: Place;
  readonly last: number;
}

/** Reads the rest of a log; what it has forgotten may have been about any realm. */
async function hasWritesFor(
  log: Pick<ShardLog, 'record'>,
  realmId: number,
  { place, last }: Rest,
): Promise<boolean> {
  const reader = openRecordReader(place);
  for (let sequence = place.sequence + 1; sequence <= last; sequence++) {
    const stored = await log.record(sequence);
    if (stored === undefined) return true;
    const record = await reader.read(stored);
    if (record?.kind !== 'writes') continue;
    if (record.realms.some((commit) => commit.realmId === realmId)) return true;
  }
  return false;
}

async function fetchFiles({ data, openFiles }: LeaveInput, realmId: number): Promise<LeftRealm> {
  const folder = realmFolder(data, realmId);
  const replica = openReplica(folder);
  try {
    const { isNamed } = openNamedFiles(replica.reader);
    const files = openFiles(uploadsFolder(data, realmId), realmId);
    const names = [...realms.namesOf(replica.reader)];
    return { realm: realmId, names, files: await files.copyFromStore(isNamed) };
  } finally {
    await replica.close();
  }
}
