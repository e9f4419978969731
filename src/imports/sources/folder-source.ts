import { createReadStream, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { checkedName, noSuchEntry, openTally } from './checked-names.ts';

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
        tally.add(size);
        sizes.set(name, size);
      } else throw new ArchiveError(`${name} is a link, or no regular file`);
    }
  }
  return sourceOf(sizes, (name) => Promise.resolve(createReadStream(join(root, name))));
}

/** Opens one file as an archive that has nothing else. */
export function openSingle(path: string, name: string): ArchiveSource {
  const sizes = new Map([[checkedName(name), lstatSync(path).size]]);
  return sourceOf(sizes, () => Promise.resolve(createReadStream(path)));
}

/** Returns the source of files whose sizes are known. */
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
      if (!sizes.has(entry)) throw noSuchEntry(entry);
      return await open(entry);
    },
    close,
  };
}
