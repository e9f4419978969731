import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives what root has made in the data directory of another user to that user, as a service that
 * runs as that user could not open it.
 */
export function giveToOwner(path: string) {
  const { uid, gid } = lstatSync(path);
  if (process.getuid?.() !== 0 || uid === 0) return;
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const file = join(path, name);
    if (lstatSync(file).uid === 0) lchownSync(file, uid, gid);
  }
}
