import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder, syncFolder } from '../../storage/files/disk.ts';
import type { ListedFile } from './manifest.ts';

/**
 * Bytes written between two syncs. A file system may make every sync wait for all dirty data, so
 * there is never more than a disk takes in a moment.
 */
const SYNC_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A backup that is being filled with files; they are kept for good when it is settled. */
export interface Filling {
  write(
    path: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<ListedFile>;
  /** Waits until the bytes of all files have arrived. */
  flush(): Promise<void>;
  /** Makes sure that the names of all files are kept as well. */
  settle(): Promise<void>;
}

/** Opens a folder. `check` is called whenever bytes have reached the disk, and may throw. */
export function fillFolder(root: string, check: () => Promise<void>): Filling {
  const folders = new Set<string>([root]);

  async function needFolder(folder: string) {
    if (folders.has(folder)) return;
    await makeFolder(folder);
    for (let made = folder; made !== root; made = dirname(made)) folders.add(made);
  }

  return {
    async write(path, chunks) {
      const place = join(root, path);
      await needFolder(dirname(place));
      const file = await open(place, 'wx', 0o600);
      try {
        const written = await writeAll(file, chunks, check);
        return { path: relative(root, place), ...written };
      } finally {
        await file.close();
      }
    },
    flush: async () => undefined, // each file is synced as it is written
    async settle() {
      for (const folder of folders) await syncFolder(folder);
    },
  };
}

async function writeAll(
  file: FileHandle,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  check: () => Promise<void>,
) {
  const hash = createHash('sha256');
  let bytes = 0;
  let unsynced = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await file.writeFile(chunk);
    bytes += chunk.length;
    unsynced += chunk.length;
    if (unsynced < SYNC_BYTES) continue;
    await file.datasync();
    await check();
    unsynced = 0;
  }
  await file.sync();
  await check();
  return { bytes, sha256: hash.digest('hex') };
}

/** Reads a file in chunks. Throws if there is none, or if it is a symbolic link. */
export async function* chunksOfFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export async function measured(
  chunks: AsyncIterable<Uint8Array>,
): Promise<Pick<ListedFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
