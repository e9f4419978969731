import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What others than the owner may do with a file or folder. */
const OTHERS = 0o077;

/** What this process makes from now on is for its owner alone, whatever it was started with. */
export const makeFilesPrivately = () => void process.umask(OTHERS);

/**
 * Takes away from others what earlier versions, or those who copied the data here, left them: of the directory, its realms
 * and their stores. What was uploaded is below folders that are closed then, and there may be millions of it.
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

/** What belongs to somebody else is theirs to close, as the root of a volume that a container is given often is. */
function closeToOthers(path: string): Stats {
  const stats = lstatSync(path);
  const isClosed = (stats.mode & OTHERS) === 0;
  const isOwn = stats.uid === process.geteuid?.();
  if (!isClosed && isOwn && !stats.isSymbolicLink()) chmodSync(path, stats.mode & ~OTHERS & 0o7777);
  return stats;
}
