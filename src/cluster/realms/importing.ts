import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { syncFolder } from '../../../storage/files/disk.ts';
import type { OpenFiles } from '../../../storage/files/open-file-store.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { writePlace } from '../../../storage/replication/store-place.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { ASIDE, writeAlone } from '../../admin/making-realms.ts';
import { UPLOADS } from '../../admin/realms/starting.ts';
import { loadArchive } from '../../archives/load-archive.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as realms from '../../operations/access/realms.ts';
import * as attachments from '../../operations/files/attachments.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { shardOf } from '../placement.ts';
import { decodeRecord } from '../records/record.ts';
import type { Snapshots } from '../snapshots/snapshot.ts';
import { giveUp, type Registry, settleRealm } from './registry.ts';

interface ImportInput {
  /** The folder of all realms. */
  readonly folder: string;
  readonly stringId: string;
  /** The path of the archive. */
  readonly archive: string;
  readonly shards: number;
  readonly now: () => number;
  readonly openFiles: OpenFiles;
  readonly openLog: (shard: number) => Promise<ShardLog>;
  readonly snapshots: Snapshots;
  readonly registry: Registry;
  readonly takeNumber: () => Promise<number>;
}

/**
 * Makes a realm of an archive: its files and a snapshot are in the storage that the nodes share
 * first, and then the cluster has it. Until that moment a node that ends leaves nothing but objects
 * that nobody knows, which are removed. Returns the number of the realm.
 */
export async function importRealm(input: ImportInput): Promise<number> {
  const { folder, archive, now, registry } = input;
  const aside = join(folder, `${ASIDE}${randomBytes(8).toString('hex')}`);
  try {
    mkdirSync(aside, { mode: 0o700 });
    await loadArchive({ archive, folder: aside, uploads: UPLOADS, now });
    const id = await input.takeNumber();
    try {
      await storeRealm(input, id, aside);
      await settleRealm(registry, id, { is: 'there' });
    } catch (error) {
      // A node that does not reach the others leaves this to its next start, or to another node.
      await giveUp(registry, id, now()).catch(() => undefined);
      throw error;
    }
    await syncFolder(aside);
    await rename(aside, join(folder, String(id)));
    await syncFolder(folder);
    return id;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Stores the files and a snapshot of a realm that is made aside. */
async function storeRealm(input: ImportInput, realmId: number, aside: string) {
  const { stringId, now, shards, snapshots, openFiles, openLog } = input;
  await writeAlone(aside, now, (tx) => {
    tx.actAs('operator');
    realms.settle(tx, { id: realmId, stringId });
    attachments.takeStock(tx);
  });
  const shard = shardOf(realmId, shards);
  const log = await openLog(shard);
  await refuseEarlierSchema(log);
  // No record is about the realm yet, so it may follow from the newest one on.
  await writePlace(aside, await newestIn(log));
  await openFiles(join(aside, UPLOADS), realmId).moveToStore();
  const source = openReplica(aside);
  try {
    await snapshots.take({ shard, realmId, source, scratch: join(aside, 'copy') });
  } finally {
    await source.close();
  }
  await rm(join(aside, 'copy'), { recursive: true, force: true });
}

/** The store of an import has the newest schema, and that of all stores of a shard is the same. */
async function refuseEarlierSchema(log: ShardLog) {
  const record = await log.record(await log.last());
  const schema = record === undefined ? SCHEMA_VERSION : decodeRecord(record.body).head.schema;
  if (schema === SCHEMA_VERSION) return;
  throw errors.badRequest(
    `The stores of the shard have schema ${schema}, and an import has ${SCHEMA_VERSION}: run \`confab cluster upgrade\` first`,
  );
}

/** A record in parts is whole after so long, as a rule. */
const PART_MS = 50;

/** Returns the newest record of a log; null if it has none. */
export async function newestIn(log: Pick<ShardLog, 'last' | 'record'>): Promise<Place | null> {
  for (;;) {
    const record = await log.record(await log.last());
    if (record === undefined) return null;
    const { payload } = decodeRecord(record.body);
    // A reader cannot begin behind a part that others follow.
    if (payload.kind !== 'part' || payload.part === payload.parts - 1) {
      return { sequence: record.sequence, id: record.id, epoch: record.epoch };
    }
    await pause(PART_MS);
  }
}
