import { mkdirSync, statfsSync, statSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** No disk that somebody needs for anything else is filled. */
const DISK_BYTES_MAX = 8 * 1024 ** 3;
const FULL_MS = 10_000;
const PIECE = Buffer.alloc(1024 * 1024);

/** Refuses a data directory on a disk that is used for other things. */
export function requireOwnFileSystem(data: string | undefined): asserts data is string {
  if (data === undefined) throw new Error('--fill needs --data');
  mkdirSync(data, { recursive: true });
  // The ballast lies beside the directory. If that is a mount point, the ballast would be on another disk.
  const beside = dirname(resolve(data));
  const { blocks, bsize } = statfsSync(beside);
  if (statSync(beside).dev === statSync(data).dev && blocks * bsize <= DISK_BYTES_MAX) return;
  throw new Error('--fill fills the disk of --data: give it a folder on a small one of its own');
}

export interface Filler {
  /** So many messages have been acknowledged. */
  readonly look: (acknowledged: number) => void;
  /** Settles when the disk has room again. */
  readonly finished: () => Promise<void>;
}

/** Fills the disk beside the data directory at even distances along a run, for a while each. */
export function createFiller(
  data: string,
  { times, messages }: { readonly times: number; readonly messages: number },
): Filler {
  const ballast = join(dirname(resolve(data)), 'ballast');
  let started = 0;
  let running: Promise<void> | undefined;

  async function fill() {
    const file = await open(ballast, 'w');
    try {
      const { bavail, bsize } = await statfs(dirname(ballast));
      for (let left = bavail * bsize; left > 0; left -= PIECE.length) await file.write(PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
    await delay(FULL_MS);
    await rm(ballast);
    running = undefined;
  }

  return {
    look: (acknowledged) => {
      if (started >= times || running !== undefined) return;
      if (acknowledged < ((started + 0.5) * messages) / times) return;
      started += 1;
      running = fill();
    },
    finished: async () => await running,
  };
}
