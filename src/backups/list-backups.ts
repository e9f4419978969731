import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../../storage/files/disk-fault.ts';
import { BackupError, UNFINISHED } from './manifest.ts';
import { openBackup } from './read-backup.ts';

/**
 * Returns the backups in a folder, the oldest first. Those that are not whole, as far as is quickly
 * seen, say why.
 */
export async function listBackups(folder: string): Promise<object[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new BackupError(`${folder} cannot be read: ${diskFault(error)}`);
  });
  const backups = names.filter((name) => name.startsWith('confab-')).sort();
  return await Promise.all(backups.map((name) => described(join(folder, name))));
}

async function described(path: string): Promise<object> {
  try {
    const { manifest } = await openBackup(path);
    const sizes = { bytes: manifest.files.bytes, files: manifest.files.count };
    const realms = manifest.realms.map((realm) => realm.string_id);
    const isWhole = !path.endsWith(UNFINISHED);
    return { backup: path, is_complete: isWhole, at: manifest.started_at, ...sizes, realms };
  } catch (error) {
    const at = await stat(path)
      .then(({ mtime }) => mtime.toISOString())
      .catch(() => null);
    const why = error instanceof BackupError ? error.message : diskFault(error);
    return { backup: path, is_complete: false, at, why };
  }
}
