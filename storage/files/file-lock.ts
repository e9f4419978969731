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
 * Locks a file, made if need be, for this holder alone; returns undefined while somebody else holds it, be it in the same
 * process. The kernel ends the lock with the process, so what is in the file, or that it is there, says nothing.
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
