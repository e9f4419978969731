import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expectRegularFile } from './regular-file.ts';

export interface FileLock {
  release(): void;
}

/** The package brings no types. */
interface Locking {
  tryLock(file: number): boolean;
}

/** It finds its binary from where it is installed, by `require`. */
const { tryLock } = createRequire(import.meta.url)('fs-native-extensions') as Locking;

/**
 * Locks a file for this holder only, and makes the file if need be. Returns undefined while
 * somebody else holds it, in this process or another. The kernel ends the lock with the process, so
 * neither the file's content nor its existence says that it is locked.
 */
export function lockFile(path: string): FileLock | undefined {
  if (existsSync(path)) expectRegularFile(path);
  const file = openSync(path, 'a', 0o600);
  try {
    if (tryLock(file)) return { release: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
  closeSync(file);
  return undefined;
}
