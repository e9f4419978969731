import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** The permissions of others than the owner. */
const OTHERS = 0o077;

/** Makes all files that this process creates private to its owner, whatever its umask was. */
export const makeFilesPrivately = () => void process.umask(OTHERS);

/**
 * Removes the permissions of others from the directory, its realms and their stores, which earlier
 * versions or a copy may have left. Uploads lie below folders that are private then, and there may
 * be millions of them.
 */
export function makePrivate(path: string) {
  closeToOthers(path);
  for (const name of readdirSync(path)) {
    const stats = closeToOthers(join(path, name));
    if (stats.isDirectory())
      for (const below of readdirSync(join(path, name))) {
        const inner = join(path, name, below);
        if (closeToOthers(inner).isDirectory()) closeAllIn(inner);
      }
  }
}

function closeAllIn(folder: string) {
  for (const name of readdirSync(folder)) closeToOthers(join(folder, name));
}

/** A file of another owner is left as it is, such as the root of a volume in a container. */
function closeToOthers(path: string): Stats {
  const stats = lstatSync(path);
  const isClosed = (stats.mode & OTHERS) === 0;
  const isOwn = stats.uid === process.geteuid?.();
  if (!isClosed && isOwn && !stats.isSymbolicLink()) chmodSync(path, stats.mode & ~OTHERS & 0o7777);
  return stats;
}
