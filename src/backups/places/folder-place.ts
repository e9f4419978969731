import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { makeFolder, syncFolder } from '../../../storage/files/disk.ts';
import { diskFault } from '../../../storage/files/disk-fault.ts';
import { FREE_BYTES_MIN, FREE_HYSTERESIS, FREE_SHARE_MIN } from '../../domain/limits/disk.ts';
import { chunksOfFile, fillFolder } from '../copying.ts';
import { BackupError, MANIFEST, UNFINISHED } from '../manifest.ts';
import type { Place, Source } from './place.ts';

/**
 * Returns a folder as a place of backups. Each backup is a folder in it, and has the suffix of an
 * unfinished one until all of it is on disk.
 */
export function folderPlace(folder: string): Place {
  return {
    address: folder,
    async begin(name, data) {
      await makeFolder(folder);
      await refuseWithin(data, folder);
      const path = join(folder, name);
      const part = `${path}${UNFINISHED}`;
      await mkdir(part, { mode: 0o700 });
      return {
        filling: fillFolder(part, await roomKept(data, part)),
        async finish() {
          await rename(part, path);
          await syncFolder(folder);
        },
        abandon: () => rm(part, { recursive: true, force: true }),
      };
    },
    async names() {
      const names = await readdir(folder).catch((error: unknown) => {
        throw new BackupError(`${folder} cannot be read: ${diskFault(error)}`);
      });
      return names.filter((name) => name.startsWith('confab-')).sort();
    },
    isComplete: async (name) =>
      !name.endsWith(UNFINISHED) && existsSync(join(folder, name, MANIFEST)),
    at: (name) => folderSource(join(folder, name)),
    async remove(name) {
      const path = join(folder, name);
      const part = name.endsWith(UNFINISHED) ? path : `${path}${UNFINISHED}`;
      if (part !== path) await rename(path, part);
      await rm(part, { recursive: true, force: true });
    },
  };
}

const folderSource = (path: string): Source => ({
  address: path,
  isUnfinished: basename(path).endsWith(UNFINISHED),
  chunks: (file) => chunksOfFile(join(path, file)),
  changedAt: () =>
    stat(path)
      .then(({ mtime }) => mtime.toISOString())
      .catch(() => null),
});

async function refuseWithin(data: string, to: string) {
  const [outer, inner] = await Promise.all([realpath(data), realpath(to)]);
  if (inner !== outer && !inner.startsWith(outer + sep)) return;
  throw new BackupError(`${to} is in the data directory, and would be lost with it`);
}

/**
 * Returns a check that a backup on the disk of the data directory leaves the space that the server
 * needs (decision 0132). It runs as bytes reach the disk.
 */
async function roomKept(data: string, part: string): Promise<() => Promise<void>> {
  const [own, other] = await Promise.all([stat(data), stat(part)]);
  if (own.dev !== other.dev) return async () => undefined;
  return async () => {
    const { bavail, blocks, bsize } = await statfs(part);
    const needed = Math.max(FREE_BYTES_MIN, blocks * bsize * FREE_SHARE_MIN) * FREE_HYSTERESIS;
    if (bavail * bsize >= needed) return;
    throw new BackupError(
      'the backup was given up: it would leave less than ' +
        `${Math.ceil(needed / 1024 / 1024)} MiB on the disk of the data directory`,
    );
  };
}
