import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { syncFolder } from '../../storage/files/disk.ts';
import type { ArchiveKind } from '../archives/scope.ts';
import { writeArchive } from '../archives/write-archive.ts';
import * as errors from '../domain/wire/errors.ts';

interface Wanted {
  readonly file: string;
  readonly kind: ArchiveKind;
}

/**
 * Writes an archive for the operator, who alone can read it. It has its name when it is whole and on disk: what a kill leaves
 * is a `.part`, which the next export to that file replaces.
 */
export async function exportTo(realm: Realm, { file, kind }: Wanted): Promise<object> {
  await refuseTaken(file);
  const part = `${file}.part`;
  const handle = await openPart(part);
  try {
    const { tables, files } = await writeArchive(realm, {
      kind,
      write: (bytes) => handle.writeFile(bytes),
    });
    await handle.sync();
    await putInPlace(part, file);
    const { size } = await handle.stat();
    const messages = tables.find(({ name }) => name === 'messages')?.rows ?? 0;
    const told = { bytes: size, messages, files: files.count, missing_files: files.missing };
    return { realm: realm.stringId, kind, file, ...told };
  } finally {
    await handle.close();
    await rm(part, { force: true });
    underWay.delete(part);
  }
}

/** Never in place of a file that is there. */
async function refuseTaken(file: string) {
  if ((await lstat(file).catch(() => null)) === null) return;
  throw unwritable(file, 'there is such a file already');
}

const unwritable = (file: string, why: string) =>
  errors.badRequest(`${file} cannot be written: ${why}`);

/** Files that exports of this process are writing. */
const underWay = new Set<string>();

async function openPart(part: string): Promise<FileHandle> {
  if (underWay.has(part)) throw unwritable(part, 'another export is writing it');
  underWay.add(part);
  try {
    await rm(part, { force: true });
    return await open(part, 'wx', 0o600);
  } catch (error) {
    underWay.delete(part);
    throw unwritable(part, (error as Error).message);
  }
}

async function putInPlace(part: string, file: string) {
  // Looked at once more: writing takes its time. (A hard link would tell by itself, and disks for backups may have none.)
  await refuseTaken(file);
  try {
    await rename(part, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, (error as Error).message);
  }
}
