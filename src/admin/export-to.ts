import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { ArchiveKind } from '../archives/scope.ts';
import { writeArchive } from '../archives/write-archive.ts';
import * as errors from '../domain/errors.ts';

interface Wanted {
  readonly file: string;
  readonly kind: ArchiveKind;
}

/** Writes an archive for the operator, who alone can read it. What a kill leaves of one is refused by an import. */
export async function exportTo(realm: Realm, { file, kind }: Wanted): Promise<object> {
  const handle = await created(file);
  try {
    const { tables, files } = await writeArchive(realm, {
      kind,
      write: (bytes) => handle.writeFile(bytes),
    });
    await handle.sync();
    const { size } = await handle.stat();
    const messages = tables.find(({ name }) => name === 'messages')?.rows ?? 0;
    const told = { bytes: size, messages, files: files.count, missing_files: files.missing };
    return { realm: realm.stringId, kind, file, ...told };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Never in place of a file that is there. */
async function created(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    throw errors.badRequest(`${file} cannot be written: ${(error as Error).message}`);
  }
}
