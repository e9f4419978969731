import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { diskCode } from '../files/disk-fault.ts';
import { expectRegularFile } from '../files/regular-file.ts';
import { STORE_FILE } from '../frozen-store.ts';

const LOCK_FILE = 'lock.mdb';
/**
 * LMDB's own lock files are some bytes longer than this, for the readers of a store
 * (`READERS_MAX`). A shorter one is not in use.
 */
const LOCK_BYTES_MIN = 2 * 4_096;
/** Whole pages, more than LMDB asks for. */
const LOCK_BYTES = 3 * 4_096;
/**
 * LMDB opens so many files of a store: the lock, the store, and the store once more for its syncs.
 */
const FILES_OPENED = 3;

/**
 * Makes sure that LMDB can open a store for writing, and makes its folder if need be. LMDB ends the
 * process if it cannot open its lock file (SIGSEGV: the file is somebody else's, or no file
 * descriptor is left), and if that file has no room on the disk (SIGBUS: it is mapped into memory).
 * Here either is an error with the code of the system.
 */
export function readyStoreFiles(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = join(folder, STORE_FILE);
  if (lengthOf(store) !== undefined) accessSync(store, constants.R_OK | constants.W_OK);
  readyLockFile(folder);
}

/** Does the same for a store that is only read: LMDB still notes its readers in the lock file. */
export function readyLockFile(folder: string) {
  const lock = join(folder, LOCK_FILE);
  const length = lengthOf(lock) ?? 0;
  // A file that is long enough may be in use: opening and closing it would end the locks that this
  // process has on it.
  if (length >= LOCK_BYTES_MIN) accessSync(lock, constants.R_OK | constants.W_OK);
  else lengthen(lock, LOCK_BYTES - length);
  const opened: number[] = [];
  try {
    for (let count = 0; count < FILES_OPENED; count++) opened.push(openSync(folder, 'r'));
  } finally {
    opened.forEach(closeSync);
  }
}

/**
 * Writes zeros, which mean nothing to LMDB. They take room on the disk, as a file that was only
 * made longer would not.
 */
function lengthen(path: string, bytes: number) {
  const file = openSync(path, 'a', 0o600);
  try {
    writeFileSync(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

/**
 * Returns undefined if nothing has the name. Throws for anything but a file: opening it could wait
 * for ever, or end the process.
 */
function lengthOf(path: string): number | undefined {
  try {
    expectRegularFile(path);
    return statSync(path).size;
  } catch (error) {
    if (diskCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
