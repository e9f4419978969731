import { type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { openFolder, openSingle } from './folder-source.ts';
import { openTar } from './tar-source.ts';
import { openZip } from './zip-source.ts';

/**
 * Opens an archive by what its name ends with: a folder, `.zip`, `.tar`, `.tar.gz` or `.tgz`. Any
 * other file is an archive with this one file.
 */
export async function openArchiveSource(path: string): Promise<ArchiveSource> {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    // The command line has a sentence for a path that does not exist.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    throw new ArchiveError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (stats.isDirectory()) return openFolder(path);
  if (!stats.isFile()) throw new ArchiveError(`${path} is no file and no folder`);
  if (/\.zip$/i.test(path)) return await openZip(path);
  if (/\.(?:tar\.gz|tgz)$/i.test(path)) return await openTar(path, true);
  if (/\.tar$/i.test(path)) return await openTar(path, false);
  return openSingle(path, basename(path));
}
