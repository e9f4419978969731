import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './disk.ts';

/**
 * Writes a small file so that it is there whole or as it was, whenever the process or the machine dies: aside, synced, and
 * renamed. For what is written now and then; it waits for the disk.
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

/** The same by threads, so that nobody waits. Two at once for one file are not meant. */
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
