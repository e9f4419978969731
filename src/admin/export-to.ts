import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { syncFolder } from '../../storage/files/disk.ts';
import type { ArchiveKind } from '../archives/scope.ts';
import { writeArchive } from '../archives/write-archive.ts';
import * as errors from '../domain/wire/errors.ts';

interface ExportOptions {
  readonly file: string;
  readonly kind: ArchiveKind;
}

/** The files that exports of this process are writing. */
const underWay = new Set<string>();

/**
 * Writes an archive that only the operator can read. It gets its name when it is whole and on disk;
 * a kill leaves a `.part` file, which the next export to that file replaces.
 */
export async function exportTo(realm: Realm, { file, kind }: ExportOptions): Promise<object> {
  const part = `${file}.part`;
  // Nothing is awaited before: of two exports to one file the first is made.
  if (underWay.has(part)) throw unwritable(part, 'another export is writing it');
  underWay.add(part);
  try {
    await refuseTaken(file);
    return await writeParted(realm, { file, part, kind });
  } finally {
    underWay.delete(part);
  }
}

interface PartedOptions extends ExportOptions {
  /** The file that is written until it is whole. */
  readonly part: string;
}

async function writeParted(realm: Realm, { file, part, kind }: PartedOptions): Promise<object> {
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
    const written = { bytes: size, messages, files: files.count, missing_files: files.missing };
    return { realm: realm.stringId, kind, file, ...written };
  } finally {
    await handle.close();
    await rm(part, { force: true });
  }
}

/** Refuses a file that exists. */
async function refuseTaken(file: string) {
  if ((await lstat(file).catch(() => null)) === null) return;
  throw unwritable(file, 'the file already exists');
}

const unwritable = (file: string, why: string) =>
  errors.badRequest(`${file} cannot be written: ${why}`);

async function openPart(part: string): Promise<FileHandle> {
  try {
    await rm(part, { force: true });
    return await open(part, 'wx', 0o600);
  } catch (error) {
    throw unwritable(part, (error as Error).message);
  }
}

async function putInPlace(part: string, file: string) {
  // Checks again, because writing takes time. (A hard link would refuse by itself, but disks for
  // backups may not have them.)
  await refuseTaken(file);
  try {
    await rename(part, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, (error as Error).message);
  }
}
