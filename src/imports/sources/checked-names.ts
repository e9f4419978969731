import { ArchiveError } from '../../archives/archive-error.ts';
import {
  HISTORY_BYTES_MAX,
  HISTORY_ENTRIES_MAX,
  HISTORY_PATH_MAX,
  HISTORY_PATHS_CHARACTERS_MAX,
  HISTORY_RATIO_MAX,
  HISTORY_SMALL_BYTES,
} from '../../domain/limits/archives.ts';

/** Control characters, and what other systems take for a separator of folders. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
const ODD = /[\u0000-\u001f\\]/;

/** Returns the path of an entry. Throws `ArchiveError` if it leads out of the archive. */
export function checkedName(given: string): string {
  const name = given.replace(/^(?:\.\/)+/, '');
  const shown = JSON.stringify(given.slice(0, 200));
  if (name.length > HISTORY_PATH_MAX) throw new ArchiveError(`the path ${shown} is too long`);
  if (ODD.test(name))
    throw new ArchiveError(`the path ${shown} has a character that none may have`);
  if (name.startsWith('/') || /^[a-z]:/i.test(name) || name.split('/').includes('..')) {
    throw new ArchiveError(`the path ${shown} leads out of the archive`);
  }
  return name;
}

/** Counts the entries of an archive, and refuses one that would become too large. */
export function openTally(packedBytes: number) {
  let entries = 0;
  let bytes = 0;
  let characters = 0;
  return {
    add(name: string, size: number) {
      if (!Number.isSafeInteger(size) || size < 0) {
        throw new ArchiveError(`the archive says that '${name}' has ${size} bytes`);
      }
      entries += 1;
      bytes += size;
      characters += name.length;
      if (characters > HISTORY_PATHS_CHARACTERS_MAX) {
        throw new ArchiveError('the paths of the archive are too long all together');
      }
      if (entries > HISTORY_ENTRIES_MAX) {
        throw new ArchiveError(`the archive has more than ${HISTORY_ENTRIES_MAX} files`);
      }
      if (bytes > HISTORY_BYTES_MAX) {
        throw new ArchiveError(`the archive has more than ${HISTORY_BYTES_MAX} bytes`);
      }
      refuseBomb(bytes, packedBytes);
    },
  };
}

/** Refuses to unpack more than an archive of this size should have. */
export function refuseBomb(bytes: number, packedBytes: number) {
  if (bytes > HISTORY_SMALL_BYTES && bytes > packedBytes * HISTORY_RATIO_MAX) {
    throw new ArchiveError(
      `the archive becomes more than ${HISTORY_RATIO_MAX} times larger when it is unpacked`,
    );
  }
}

export const noSuchEntry = (entry: string) =>
  new ArchiveError(`the archive has no file ${JSON.stringify(entry.slice(0, 200))}`);
