import { statSync } from 'node:fs';
import { type Entry, openPromise } from 'yauzl';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { checkedName, noSuchEntry, openTally } from './checked-names.ts';
import { sourceOf } from './folder-source.ts';

const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;

const NOTHING = Buffer.alloc(0);

/** Frees what is not needed to read a file: an archive may have millions. */
function withoutRest(entry: Entry): Entry {
  return Object.assign(entry, {
    fileNameRaw: NOTHING,
    extraFieldRaw: NOTHING,
    fileCommentRaw: NOTHING,
    extraFields: [],
    fileComment: '',
    comment: '',
  });
}

/** Opens a zip. Its list of files is checked before anything is unpacked. */
export async function openZip(path: string): Promise<ArchiveSource> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true }).catch(
    (error: Error) => {
      const isCut = error.message.startsWith('End of central directory');
      const why = isCut ? 'its list of files is missing' : error.message;
      throw new ArchiveError(`${path} is no zip, or was cut off: ${why}`);
    },
  );
  const entries = new Map<string, Entry>();
  const tally = openTally(statSync(path).size);
  try {
    for await (const entry of zip.eachEntry()) {
      const name = checkedName(entry.fileName);
      if (name.endsWith('/')) continue;
      if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) {
        throw new ArchiveError(`${name} is a symbolic link`);
      }
      if (entries.has(name)) throw new ArchiveError(`the archive has two files '${name}'`);
      if (!entry.canDecodeFileData()) throw new ArchiveError(`'${name}' cannot be unpacked`);
      tally.add(name, entry.uncompressedSize);
      entries.set(name, withoutRest(entry));
    }
  } catch (error) {
    zip.close();
    if (error instanceof ArchiveError) throw error;
    const { message } = error as Error;
    // The library refuses some paths before `checkedName` sees them.
    const leadsOut = /^(?:invalid relative|absolute) path: /.test(message);
    throw new ArchiveError(
      leadsOut
        ? `a path leads out of the archive (${message.slice(0, 200)})`
        : `the list of files of ${path} is damaged: ${message}`,
    );
  }
  const sizes = new Map(Array.from(entries, ([name, entry]) => [name, entry.uncompressedSize]));
  return sourceOf(
    sizes,
    async (name) => {
      const entry = entries.get(name);
      if (entry === undefined) throw noSuchEntry(name);
      return await zip.openReadStreamPromise(entry);
    },
    async () => zip.close(),
  );
}
