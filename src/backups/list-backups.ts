import { diskFault } from '../../storage/files/disk-fault.ts';
import { BackupError } from './manifest.ts';
import type { Place, Source } from './places/place.ts';
import { openBackup } from './read-backup.ts';

/**
 * Returns the backups of a place, the oldest first. Those that are not whole, as far as is quickly
 * seen, say why.
 */
export async function listBackups(place: Place): Promise<object[]> {
  const lines: object[] = [];
  for (const name of await place.names()) lines.push(await described(place.at(name)));
  return lines;
}

async function described(source: Source): Promise<object> {
  const { address: backup, isUnfinished } = source;
  try {
    const { manifest } = await openBackup(source);
    const sizes = { bytes: manifest.files.bytes, files: manifest.files.count };
    const realms = manifest.realms.map((realm) => realm.string_id);
    return { backup, is_complete: !isUnfinished, at: manifest.started_at, ...sizes, realms };
  } catch (error) {
    const why = error instanceof BackupError ? error.message : diskFault(error);
    return { backup, is_complete: false, at: await source.changedAt(), why };
  }
}
