import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import { readPlace } from '../../../storage/replication/store-place.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { OfRealm, Snapshots } from './snapshot.ts';

interface CopyInput extends OfRealm {
  readonly snapshots: Snapshots;
  readonly log: Pick<ShardLog, 'last' | 'record'>;
  /** The folder of the realm, whose store nobody has open. */
  readonly folder: string;
}

/**
 * Makes sure that a node has a copy of a realm which can go on with the log: its own, if the log
 * still has what comes next, and else the newest snapshot. Resolves with `none` where there is
 * neither: then the log has the realm from its first record on.
 */
export async function readyCopy(input: CopyInput): Promise<'own' | 'restored' | 'none'> {
  const { snapshots, log, folder, ...realm } = input;
  const isThere = existsSync(join(folder, STORE_FILE));
  if (isThere && (await goesOn(folder, log))) return 'own';
  const newest = await snapshots.newest(realm);
  if (newest === undefined) return isThere ? 'own' : 'none';
  const former = `${folder}.former`;
  if (isThere) {
    await rm(former, { recursive: true, force: true });
    await rename(folder, former);
  }
  try {
    await snapshots.restore(newest, realm, folder);
  } catch (error) {
    if (isThere) await rename(former, folder);
    throw error;
  }
  await rm(former, { recursive: true, force: true });
  return 'restored';
}

async function goesOn(folder: string, log: CopyInput['log']): Promise<boolean> {
  const sequence = (await readPlace(folder))?.sequence ?? 0;
  return (await log.last()) <= sequence || (await log.record(sequence + 1)) !== undefined;
}

interface ForgetInput {
  readonly snapshots: Snapshots;
  readonly shard: number;
  /** All realms of the shard. */
  readonly realmIds: readonly number[];
  readonly log: Pick<ShardLog, 'last' | 'forgetBefore'>;
}

/**
 * Has the log forget what comes before the second newest snapshots of all realms of a shard, and
 * returns the first record that stays. A realm with fewer snapshots needs all of the log.
 */
export async function forgetLog({
  snapshots,
  shard,
  realmIds,
  log,
}: ForgetInput): Promise<number | null> {
  let first = Number.POSITIVE_INFINITY;
  for (const realmId of realmIds) {
    const [, second] = await snapshots.list({ shard, realmId });
    first = Math.min(first, second?.place?.sequence ?? 0);
  }
  // A snapshot that is ahead of its log is of a log that was lost.
  if (first === 0 || first > (await log.last())) return null;
  await log.forgetBefore(first);
  return first;
}
