import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { freshFileName, refuseWithoutSpace } from '../../endpoints/files/read-upload.ts';
import { describe } from '../../endpoints/files/receive-file.ts';
import type { MailFile } from '../../operations/notifications/mail-files.ts';
import type { FileInMail } from './reader.ts';

/** The files of one mail, whose bytes are on disk while its message is written. */
export interface StoredFiles {
  readonly files: readonly MailFile[];
  /** Removes the bytes that no row names, once it is known which do. */
  settle(pathIds: readonly string[]): Promise<void>;
}

type Incoming = Awaited<ReturnType<Realm['files']['receive']>>;

const MIB = 1024 * 1024;

/**
 * Stores the files of a mail. Those that are larger than an upload may be are only named. A fault
 * of the disk leaves nothing there.
 */
export async function storeFiles(
  realm: Realm,
  files: readonly FileInMail[],
  mibMax: number,
): Promise<StoredFiles> {
  const stored: MailFile[] = [];
  const incoming = new Map<string, Incoming>();
  const settle = async (pathIds: readonly string[]) => {
    for (const [pathId, file] of incoming) {
      await (pathIds.includes(pathId) ? file.settle() : file.discard());
    }
  };
  try {
    for (const { name, filename, contentType, bytes } of files) {
      const size = bytes?.length ?? 0;
      if (bytes === null || size > mibMax * MIB) {
        stored.push({ name, stored: null });
        continue;
      }
      refuseWithoutSpace(realm, size);
      const at = freshFileName();
      const file = await realm.files.receive(at);
      incoming.set(`${at.folder}/${at.file}`, file);
      await file.write(bytes);
      await file.keep();
      const described = await describe(realm, at, { filename, contentType });
      incoming.delete(`${at.folder}/${at.file}`);
      incoming.set(described.pathId, file);
      stored.push({ name, stored: { ...described, size } });
    }
  } catch (error) {
    await settle([]);
    throw error;
  }
  return { files: stored, settle };
}
