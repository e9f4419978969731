import { join } from 'node:path';
import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import { measured } from './copying.ts';
import type { ListedFile } from './manifest.ts';
import { type Backup, damaged, listOf, openBackup } from './read-backup.ts';

/**
 * Reads every byte of a backup. Refuses one with faults, naming the first fault and their number.
 */
export async function verifyBackup(path: string): Promise<object> {
  const backup = await openBackup(path);
  let first: { file: string; why: string } | undefined;
  let faults = 0;
  for await (const file of listOf(backup)) {
    const why = await faultOf(backup, file);
    if (why === undefined) continue;
    first ??= { file: file.path, why };
    faults += 1;
  }
  if (first !== undefined) {
    const others = faults === 1 ? '' : ` (and ${faults - 1} more of its files)`;
    throw damaged(path, first.file, `${first.why}${others}`);
  }
  const { files, realms } = backup.manifest;
  return { backup: path, is_whole: true, bytes: files.bytes, files: files.count, realms };
}

/** Returns the fault of a file, or undefined if it is as it was written. */
async function faultOf({ path }: Backup, file: ListedFile): Promise<string | undefined> {
  try {
    const { bytes, sha256 } = await measured(join(path, file.path));
    if (bytes !== file.bytes) return `it has ${bytes} bytes, and had ${file.bytes}`;
    return sha256 === file.sha256 ? undefined : 'its bytes have changed';
  } catch (error) {
    return diskCode(error) === 'ENOENT' ? 'it is missing' : diskFault(error);
  }
}
