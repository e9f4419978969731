import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder as it was, held in memory: copying a store takes a tenth of the time that making one
 * takes.
 */
export interface KeptFolder {
  writeTo(path: string): void;
}

/**
 * LMDB makes the lock file itself. In a copy it would name processes that have nothing to do with
 * it.
 */
const LOCK_FILE = 'lock.mdb';

/** Keeps a folder. No process may be writing to it. */
export function keepFolder(path: string): KeptFolder {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith(LOCK_FILE))
    .sort();
  const entries = names.map((name) => {
    const status = statSync(join(path, name));
    const content = status.isDirectory() ? null : readFileSync(join(path, name));
    return { name, mode: status.mode & 0o777, content };
  });
  return {
    writeTo(copy) {
      mkdirSync(copy, { recursive: true, mode: 0o700 });
      for (const { name, mode, content } of entries) {
        if (content === null) mkdirSync(join(copy, name), { recursive: true, mode });
        else writeFileSync(join(copy, name), content, { mode });
      }
    },
  };
}
