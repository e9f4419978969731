import { readFileSync, statSync } from 'node:fs';

/**
 * Throws unless the path leads to a regular file: opening a named pipe or a device can wait for
 * ever.
 */
export function expectRegularFile(path: string) {
  if (!statSync(path).isFile()) throw new Error(`${path} is no file`);
}

/** Reads a file of the data directory as text. */
export function readRegularFile(path: string): string {
  expectRegularFile(path);
  return readFileSync(path, 'utf8');
}
