import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './disk.ts';

/**
 * Replaces a small file. Whenever the process or the machine dies, the file is there whole or as it
 * was: the new one is written aside, synced, and renamed. It waits for the disk, so it is meant for
 * what is written now and then.
 */
export function replaceFile(path: string, text: string) {
  const aside = `${path}.new`;
  try {
    writeFileSync(aside, text, { mode: 0o600, flush: true });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Does the same by threads, so that nobody waits. Two calls for one file may not overlap. */
export async function replaceFileMeanwhile(path: string, text: string) {
  const aside = `${path}.new`;
  try {
    await writeFile(aside, text, { mode: 0o600, flush: true });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
