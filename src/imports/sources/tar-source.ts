import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { checkedName, openTally } from './checked-names.ts';
import { sourceOf } from './folder-source.ts';

/**
 * Unpacks a tar into a folder of temporary files, because its entries cannot be read in another
 * order. `TMPDIR` says where. The folder is removed when the source is closed.
 */
export async function openTar(path: string, isCompressed: boolean): Promise<ArchiveSource> {
  const folder = mkdtempSync(join(tmpdir(), 'confab-import-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const sizes = await unpacked(path, folder, isCompressed);
    return sourceOf(
      sizes,
      async (name) => createReadStream(join(folder, name)),
      async () => remove(),
    );
  } catch (error) {
    remove();
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw error;
    }
    throw new ArchiveError(`${path} is no tar, or is damaged: ${(error as Error).message}`);
  }
}

async function unpacked(path: string, folder: string, isCompressed: boolean) {
  const sizes = new Map<string, number>();
  const tally = openTally(statSync(path).size);
  const entries = extract();
  const reading = isCompressed
    ? pipeline(createReadStream(path), createGunzip(), entries)
    : pipeline(createReadStream(path), entries);
  reading.catch(() => undefined); // the loop below throws as well
  for await (const entry of entries) {
    const { name: given, type, size = 0 } = entry.header;
    const name = checkedName(given);
    if (type === 'file' || type === 'contiguous-file') {
      if (sizes.has(name)) throw new ArchiveError(`the archive has two files '${name}'`);
      tally.add(size);
      sizes.set(name, size);
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      await pipeline(entry, createWriteStream(join(folder, name), { flags: 'wx' }));
    } else if (type === 'directory') {
      entry.resume();
    } else throw new ArchiveError(`${name} is a link, or no regular file`);
  }
  await reading;
  return sizes;
}
