import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/**
 * Files by their descriptors. What may wait for the disk is done by a thread, for which the process pays some 50 µs of CPU
 * time; what asks the memory alone is done at once. The descriptor has to be closed by whoever opened it.
 */
export const open = promisify(fs.open);
export const link = promisify(fs.link);
export const truncate = promisify(fs.ftruncate);
/** The bytes, and as much of the rest as is needed to read them again. */
export const sync = promisify(fs.fdatasync);

const writeSome = promisify(fs.write);
const readSome = promisify(fs.read);
const syncAll = promisify(fs.fsync);
const closeLater = promisify(fs.close);
const unlink = promisify(fs.unlink);
const makeOne = promisify(fs.mkdir);
const rename = promisify(fs.rename);

/** Undefined when there is no such file. */
export const openIfThere = (path: string): Promise<number | undefined> => ifThere(open(path, 'r'));

/** Nothing when it is gone already. */
export const remove = (path: string): Promise<void> => ifThere(unlink(path));

/** Nothing when it is gone already, which is told apart from a folder that is not there. */
export async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error) || fs.existsSync(from)) throw error;
  }
}

export const sizeOf = (file: number): number => fs.fstatSync(file).size;

/** Behind what was written before where there is no position. */
export async function write(file: number, bytes: Uint8Array, position: number | null) {
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    const { bytesWritten } = await writeSome(file, bytes, written, bytes.length - written, at);
    written += bytesWritten;
  }
}

/** Gives the part that it filled: less than all only at the end of the file. */
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

/** Up to here the blocks of a file that has been removed meanwhile are given back in no time. */
const SHORT_BYTES_MAX = 1024 * 1024;

/** Of a file without anything to be written to the disk: then nothing is left that can fail. */
export async function close(file: number): Promise<void> {
  if (sizeOf(file) > SHORT_BYTES_MAX) await closeLater(file);
  else fs.closeSync(file);
}

/**
 * A new file and its name. At the same time, since one commit of the file system's journal can then serve both; neither is
 * under way any more when this settles.
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
 * Makes a folder and those above it that are missing. By hand: with `recursive` a disk without room for a folder is told as a
 * path that is not there (ENOENT).
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
  /** Does something in a folder that is there and on disk; once more when somebody has removed it since, being empty. */
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
  /** Whoever needs the same folder at the same time waits for the same sync. */
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
