import { ArchiveError } from '../../archives/archive-error.ts';
import {
  HISTORY_BYTES_MAX,
  HISTORY_ENTRIES_MAX,
  HISTORY_PATH_MAX,
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
  return {
    add(size: number) {
      entries += 1;
      bytes += size;
      if (entries > HISTORY_ENTRIES_MAX) {
        throw new ArchiveError(`the archive has more than ${HISTORY_ENTRIES_MAX} files`);
      }
      if (bytes > HISTORY_BYTES_MAX) {
        throw new ArchiveError(`the archive has more than ${HISTORY_BYTES_MAX} bytes`);
      }
      if (bytes > HISTORY_SMALL_BYTES && bytes > packedBytes * HISTORY_RATIO_MAX) {
        throw new ArchiveError(
          `the archive becomes more than ${HISTORY_RATIO_MAX} times larger when it is unpacked`,
        );
      }
    },
  };
}

export const noSuchEntry = (entry: string) =>
  new ArchiveError(`the archive has no file ${JSON.stringify(entry.slice(0, 200))}`);
