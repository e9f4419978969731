import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import { noteBackup, noteFailure } from './last-backup.ts';
import { BackupError } from './manifest.ts';
import type { Place } from './places/place.ts';
import { removeOldBackups } from './remove-old-backups.ts';
import { type BackedUp, type Written, writeBackup } from './write-backup.ts';

export interface Creating {
  readonly place: Place;
  /** Reads the whole backup again, and throws if it is damaged; null: nobody does. */
  readonly verify: ((address: string) => Promise<void>) | null;
  /** Gives the backup up. */
  readonly signal?: AbortSignal;
  /** The number of backups to keep in the place; without it none is removed. */
  readonly keep?: number;
}

export interface Created extends Written {
  readonly is_verified: boolean;
  readonly seconds: number;
  /** The backups that were removed because there are newer ones. */
  readonly removed?: readonly string[];
  /** The reason why old backups could not be removed. */
  readonly not_removed?: string;
}

let isUnderWay = false;

/**
 * Writes a backup of all realms while they are served, verifies it, and then removes those that are
 * too old. A backup that is not written as a whole, or that proves to be damaged, is removed.
 */
export async function createBackup(source: BackedUp, creating: Creating): Promise<Created> {
  if (isUnderWay) throw new BackupError('another backup is being made; try again when it is done');
  isUnderWay = true;
  try {
    const created = await noted(source, creating);
    return created;
  } finally {
    isUnderWay = false;
  }
}

async function noted(source: BackedUp, creating: Creating): Promise<Created> {
  const since = performance.now();
  try {
    const written = await verified(source, creating);
    const durationMs = Math.round(performance.now() - since);
    const { backup, bytes, files } = written;
    await noteBackup(source.data, { at: source.now(), backup, bytes, files, durationMs });
    const pruned = await pruneIn(creating);
    const isVerified = creating.verify !== null;
    return { ...written, is_verified: isVerified, seconds: durationMs / 1000, ...pruned };
  } catch (error) {
    const failure = explained(error, creating.place);
    await noteFailure(source.data, { at: source.now(), why: failure.message });
    throw failure;
  }
}

async function verified(source: BackedUp, { place, verify, signal }: Creating): Promise<Written> {
  const { name, ...written } = await writeBackup(source, place, signal);
  try {
    await verify?.(written.backup);
  } catch (error) {
    // The fault is told, not that the backup could not be removed either.
    await place.remove(name).catch(() => undefined);
    throw error;
  }
  return written;
}

/** The new backup is there, so a failure to remove old ones is reported and no more. */
async function pruneIn({ place, keep }: Creating) {
  if (keep === undefined) return {};
  try {
    return { removed: await removeOldBackups(place, keep) };
  } catch (error) {
    return { not_removed: explained(error, place).message };
  }
}

const explained = (error: unknown, { address }: Place): Error =>
  diskCode(error) === undefined && error instanceof Error
    ? error
    : new BackupError(`a backup cannot be written to ${address}: ${diskFault(error)}`);
