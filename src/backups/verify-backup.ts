import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import { measured } from './copying.ts';
import { inParallel } from './in-parallel.ts';
import type { ListedFile, Manifest } from './manifest.ts';
import type { Source } from './places/place.ts';
import { type Backup, damaged, listOf, openBackup } from './read-backup.ts';

export interface Verified {
  readonly backup: string;
  readonly is_whole: true;
  readonly bytes: number;
  readonly files: number;
  readonly realms: Manifest['realms'];
}

/** The files that are read at once: most of the time goes by waiting for a disk or a service. */
const FILES_AT_ONCE = 8;

/**
 * Reads every byte of a backup. Refuses one with faults, naming the first fault and their number.
 */
export async function verifyBackup(source: Source): Promise<Verified> {
  const backup = await openBackup(source);
  let first: { file: string; why: string } | undefined;
  let faults = 0;
  await inParallel(listOf(backup), FILES_AT_ONCE, async (file) => {
    const why = await faultOf(backup, file);
    if (why === undefined) return;
    first ??= { file: file.path, why };
    faults += 1;
  });
  const { address } = source;
  if (first !== undefined) {
    const { file, why } = first;
    const others = faults === 1 ? '' : ` (and ${faults - 1} more of its files)`;
    throw damaged(address, file, `${why}${others}`);
  }
  const { files, realms } = backup.manifest;
  return { backup: address, is_whole: true, bytes: files.bytes, files: files.count, realms };
}

/** Returns the fault of a file, or undefined if it is as it was written. */
async function faultOf({ source }: Backup, file: ListedFile): Promise<string | undefined> {
  try {
    const { bytes, sha256 } = await measured(source.chunks(file.path));
    if (bytes !== file.bytes) return `it has ${bytes} bytes, and had ${file.bytes}`;
    return sha256 === file.sha256 ? undefined : 'its bytes have changed';
  } catch (error) {
    if (diskCode(error) === undefined) throw error;
    return diskCode(error) === 'ENOENT' ? 'it is missing' : diskFault(error);
  }
}
