import { constants, createReadStream, lstatSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { checkedName, noSuchEntry, openTally } from './checked-names.ts';

/** A file that has become a link since it was listed is not followed. */
const NO_LINKS = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Opens an unpacked archive. Symbolic links in it are refused. */
export function openFolder(root: string): ArchiveSource {
  const sizes = new Map<string, number>();
  const tally = openTally(Number.POSITIVE_INFINITY);
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const name = checkedName(folder === '' ? entry.name : `${folder}/${entry.name}`);
      if (entry.isDirectory()) pending.push(name);
      else if (entry.isFile()) {
        const { size } = lstatSync(join(root, name));
        tally.add(name, size);
        sizes.set(name, size);
      } else throw new ArchiveError(`${name} is a link, or no regular file`);
    }
  }
  return sourceOf(sizes, async (name) =>
    (await open(join(root, name), NO_LINKS)).createReadStream(),
  );
}

/** Opens one file as an archive that has nothing else. */
export function openSingle(path: string, name: string): ArchiveSource {
  const sizes = new Map([[checkedName(name), lstatSync(path).size]]);
  return sourceOf(sizes, async () => createReadStream(path));
}

/** Returns the source of files whose sizes are known; a file of another size is damaged. */
export function sourceOf(
  sizes: ReadonlyMap<string, number>,
  open: ArchiveSource['open'],
  close: () => Promise<void> = () => Promise.resolve(),
): ArchiveSource {
  const names = [...sizes.keys()].sort();
  return {
    names: () => names,
    has: (entry) => sizes.has(entry),
    size(entry) {
      const size = sizes.get(entry);
      if (size === undefined) throw noSuchEntry(entry);
      return size;
    },
    async open(entry) {
      const size = sizes.get(entry);
      if (size === undefined) throw noSuchEntry(entry);
      return Readable.from(whole(entry, size, open), { objectMode: false });
    },
    close,
  };
}

/** Yields the bytes of a file. Throws `ArchiveError` for all that can be wrong with it. */
async function* whole(
  entry: string,
  size: number,
  open: ArchiveSource['open'],
): AsyncGenerator<Buffer> {
  let count = 0;
  try {
    for await (const chunk of await open(entry)) {
      const bytes = chunk as Buffer; // no encoding is set
      count += bytes.length;
      if (count > size) break;
      yield bytes;
    }
  } catch (error) {
    throw new ArchiveError(`${entry} is damaged: ${(error as Error).message}`);
  }
  if (count !== size) throw new ArchiveError(`${entry} is damaged: it does not have ${size} bytes`);
}
