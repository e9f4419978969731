import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/**
 * Files are used by their descriptors. Work that may wait for the disk is done by a thread, which
 * costs the process some 50 µs of CPU time; work that needs only the memory is done at once. The
 * caller that opens a descriptor has to close it.
 */
export const open = promisify(fs.open);
export const link = promisify(fs.link);
export const truncate = promisify(fs.ftruncate);
/** Syncs the bytes, and as much of the rest as is needed to read them again. */
export const sync = promisify(fs.fdatasync);

const writeSome = promisify(fs.write);
const readSome = promisify(fs.read);
const syncAll = promisify(fs.fsync);
const closeLater = promisify(fs.close);
const unlink = promisify(fs.unlink);
const makeOne = promisify(fs.mkdir);
const rename = promisify(fs.rename);

/** Returns undefined if there is no such file. */
export const openIfThere = (path: string): Promise<number | undefined> => ifThere(open(path, 'r'));

/** Does nothing if the file is gone already. */
export const remove = (path: string): Promise<void> => ifThere(unlink(path));

/**
 * Does nothing if the file is gone already, but throws if the folder that it moves to is not there.
 */
export async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error) || fs.existsSync(from)) throw error;
  }
}

export const sizeOf = (file: number): number => fs.fstatSync(file).size;

/** Writes at a position; without one, behind what was written before. */
export async function write(file: number, bytes: Uint8Array, position: number | null) {
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    const { bytesWritten } = await writeSome(file, bytes, written, bytes.length - written, at);
    written += bytesWritten;
  }
}

/** Returns the part that it filled: less than all only at the end of the file. */
export async function read(file: number, into: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < into.length) {
    const left = into.length - filled;
    const { bytesRead } = await readSome(file, into, filled, left, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return into.subarray(0, filled);
}

/** Up to this size, the blocks of a file that has been removed meanwhile are freed in no time. */
const SHORT_BYTES_MAX = 1024 * 1024;

/** Closes a file that has nothing left to be written to the disk, so nothing can fail any more. */
export async function close(file: number): Promise<void> {
  if (sizeOf(file) > SHORT_BYTES_MAX) await closeLater(file);
  else fs.closeSync(file);
}

/**
 * Syncs a new file and its name. It does both at the same time, since one commit of the file
 * system's journal can then serve both. Neither is under way any more when this settles.
 */
export async function syncWithFolder(file: number, folder: string): Promise<void> {
  for (const outcome of await Promise.allSettled([sync(file), syncFolder(folder)])) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** A new name is on disk only when its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await syncAll(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/**
 * Makes a folder and the missing ones above it. The `recursive` option is not used, because with it
 * a disk without room for a folder is reported as a path that is not there (ENOENT).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && fs.statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

export interface Folders {
  /**
   * Does something in a folder that is there and on disk. It tries once more if somebody has
   * removed the folder since, because it was empty.
   */
  within<Result>(folder: string, work: () => Promise<Result>): Promise<Result>;
}

/** Folders of a root, which are made when they are first needed. */
export function openFolders(root: string): Folders {
  const made = new Map<string, Promise<void>>();
  const make = async (folder: string) => {
    await makeFolder(folder);
    await syncFolder(root);
    await syncFolder(dirname(root));
  };
  /** Callers that need the same folder at the same time wait for the same sync. */
  const ready = (folder: string): Promise<void> => {
    const before = made.get(folder);
    if (before !== undefined) return before;
    const making = make(folder);
    made.set(folder, making);
    making.catch(() => made.delete(folder));
    return making;
  };
  return {
    async within(folder, work) {
      await ready(folder);
      try {
        return await work();
      } catch (error) {
        if (!isMissing(error)) throw error;
        made.delete(folder);
        await ready(folder);
        return await work();
      }
    },
  };
}

async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
