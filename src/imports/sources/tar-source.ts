import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ArchiveError } from '../../archives/archive-error.ts';
import { HISTORY_TAR_HEADERS_BYTES_MAX } from '../../domain/limits/archives.ts';
import { openScratch } from '../scratch.ts';
import type { ArchiveSource } from './archive-source.ts';
import { checkedName, noSuchEntry, openTally } from './checked-names.ts';
import { sourceOf } from './folder-source.ts';

/**
 * Unpacks a tar into a folder of temporary files, because its entries cannot be read in another
 * order. `TMPDIR` says where. The folder is removed when the source is closed. Files have numbers
 * as names there: names of the archive may be too long, or the same but for their case.
 */
export async function openTar(path: string, isCompressed: boolean): Promise<ArchiveSource> {
  const scratch = openScratch();
  try {
    const folder = scratch.path();
    mkdirSync(folder);
    const files = await unpacked(path, folder, isCompressed);
    return sourceOf(
      new Map(Array.from(files, ([name, { size }]) => [name, size])),
      async (name) => {
        const file = files.get(name);
        if (file === undefined) throw noSuchEntry(name);
        return createReadStream(pathOf(folder, file.number));
      },
      async () => scratch.remove(),
    );
  } catch (error) {
    scratch.remove();
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw error;
    }
    throw new ArchiveError(`${path} is no tar, or is damaged: ${(error as Error).message}`);
  }
}

const PER_FOLDER = 1_000;

const pathOf = (folder: string, number: number): string =>
  join(folder, String(Math.floor(number / PER_FOLDER)), String(number));

async function unpacked(path: string, folder: string, isCompressed: boolean) {
  const files = new Map<string, { readonly number: number; readonly size: number }>();
  const tally = openTally(statSync(path).size);
  const entries = extract();
  const guard = openGuard();
  const reading = isCompressed
    ? pipeline(createReadStream(path), createGunzip(), guard.stream, entries)
    : pipeline(createReadStream(path), guard.stream, entries);
  reading.catch(() => undefined); // the loop below throws as well
  for await (const entry of entries) {
    const { name: given, type, size = 0 } = entry.header;
    const name = checkedName(given);
    tally.add(name, size);
    guard.passed();
    if (type === 'file' || type === 'contiguous-file') {
      if (files.has(name)) throw new ArchiveError(`the archive has two files '${name}'`);
      const number = files.size;
      files.set(name, { number, size });
      const to = pathOf(folder, number);
      if (number % PER_FOLDER === 0) mkdirSync(dirname(to));
      entry.on('data', guard.passed);
      await pipeline(entry, createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    } else if (type === 'directory') {
      entry.resume();
    } else throw new ArchiveError(`${name} is a link, or no regular file`);
  }
  await reading;
  return files;
}

/** Bounds the bytes between two files: those of headers are all held in memory. */
function openGuard() {
  let held = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      held += chunk.length;
      if (held <= HISTORY_TAR_HEADERS_BYTES_MAX) return done(null, chunk);
      done(new ArchiveError('the archive has a header that is too long, or ends in zeros'));
    },
  });
  return {
    stream,
    /** Has the count begin from here. */
    passed() {
      held = 0;
    },
  };
}
