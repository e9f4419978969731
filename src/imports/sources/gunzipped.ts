import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveSource } from './archive-source.ts';
import { refuseBomb } from './checked-names.ts';

/**
 * Opens a file that is packed by itself. Its stream fails with `ArchiveError` where the file is
 * damaged, or would become too large.
 */
export async function openGunzipped(archive: ArchiveSource, entry: string): Promise<Readable> {
  const packed = await archive.open(entry);
  return Readable.from(unpacked(packed, entry, archive.size(entry)), { objectMode: false });
}

async function* unpacked(packed: Readable, entry: string, size: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  packed.once('error', (error) => gunzip.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of packed.pipe(gunzip)) {
      const part = chunk as Buffer; // no encoding is set
      bytes += part.length;
      refuseBomb(bytes, size);
      yield part;
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(`${entry} is damaged: ${(error as Error).message}`);
  } finally {
    packed.destroy();
  }
}
