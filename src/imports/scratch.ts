import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileLock, lockFile } from '../../storage/files/file-lock.ts';

const PREFIX = 'confab-import-';
/** It is locked as long as the process of the import lives. */
const LOCK = 'lock';

interface Folder {
  readonly path: string;
  readonly lock: FileLock | undefined;
}

/** A folder of temporary files; `TMPDIR` says where. It is there once a file is needed. */
export function openScratch() {
  let folder: Folder | undefined;
  let count = 0;
  const remove = () => {
    if (folder === undefined) return;
    process.off('exit', remove);
    rmSync(folder.path, { recursive: true, force: true });
    folder.lock?.release();
    folder = undefined;
  };
  return {
    remove,
    /** Returns the path of another file. */
    path(): string {
      if (folder === undefined) {
        removeLeftBehind();
        folder = makeFolder();
        process.once('exit', remove);
      }
      count += 1;
      return join(folder.path, String(count));
    },
  };
}

/** The lock has its name once it is held: a folder without that name is not known to be left. */
function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), PREFIX));
  const begun = join(path, `${LOCK}.new`);
  const lock = lockFile(begun);
  renameSync(begun, join(path, LOCK));
  return { path, lock };
}

/** Removes the folders of this user's imports that were killed; one that cannot go stays. */
function removeLeftBehind() {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    try {
      if (!name.startsWith(PREFIX) || !isOwn(path) || !existsSync(join(path, LOCK))) continue;
      const lock = lockFile(join(path, LOCK));
      if (lock === undefined) continue;
      rmSync(path, { recursive: true, force: true });
      lock.release();
    } catch {
      // Another import has removed it, or is about to.
    }
  }
}

/** Tests for a folder of this user: others could change theirs while it is removed. */
function isOwn(path: string): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && found.uid === process.geteuid?.();
}
