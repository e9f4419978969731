import { pathName, shownName } from '../../domain/rules/files/file-names.ts';
import { isImage, typeOf } from '../../domain/rules/files/file-types.ts';
import { freshFileName } from '../../endpoints/files/read-upload.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import type { FileReference } from '../history.ts';
import type { ArchiveSource } from '../sources/archive-source.ts';
import type { Ask, Target } from './target.ts';

interface Input {
  readonly archive: ArchiveSource;
  readonly target: Target;
  readonly ask: Ask;
  /** The realm, the source and the format of the import. */
  readonly of: { readonly source: string };
}

/** Addresses that are kept in memory; others are looked up in the store. */
const KNOWN_MAX = 1_000;

/** Stores files of the archive, each once: first its bytes, then its row. */
export function openFiles({ archive, target, ask, of }: Input) {
  const stored = new Map<string, string>();
  const paths = new Set<string>();
  const addressOf = (entry: string, pathId: string) => {
    paths.delete(pathId);
    paths.add(pathId);
    for (const oldest of paths) {
      if (paths.size <= KNOWN_MAX) break;
      paths.delete(oldest);
    }
    const url = `/user_uploads/${pathId}`;
    if (stored.size >= KNOWN_MAX) stored.clear();
    stored.set(entry, url);
    return url;
  };
  return {
    /** The last files that messages link, as parts of their addresses. */
    paths: paths as ReadonlySet<string>,
    /** Returns the address of a file, which becomes one of this user if it is not there yet. */
    async urlOf({ entry, name: given }: FileReference, ownerId: number): Promise<string> {
      const known = stored.get(entry);
      if (known !== undefined) return known;
      const { reads, files, realmId } = target;
      target.refresh();
      const id = idOf(reads, of.source, 'file', entry);
      const row = id === undefined ? undefined : reads.attachments.get([id]);
      if (row !== undefined) return addressOf(entry, row.pathId);
      const at = freshFileName();
      const incoming = await files.receive(at);
      try {
        const name = shownName(given);
        const contentType = typeOf('', name);
        let size = 0;
        for await (const chunk of await archive.open(entry)) {
          const bytes = chunk as Buffer; // no encoding is set
          size += bytes.length;
          await incoming.write(bytes);
        }
        await incoming.keep();
        const measured = isImage(contentType) ? await files.measure(at) : undefined;
        const image = measured === undefined ? null : { ...measured, isReady: false };
        const pathId = `${realmId}/${at.folder}/${at.file}/${pathName(name)}`;
        await ask('import file', { ...of, entry, ownerId, pathId, name, size, contentType, image });
        await incoming.settle();
        // The text that links it is rendered next, and shows an image.
        target.refresh();
        return addressOf(entry, pathId);
      } catch (error) {
        await incoming.discard();
        throw error;
      }
    },
  };
}
