import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FrozenStore, STORE_FILE } from '../../../storage/frozen-store.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import type { SnapshotSource } from './snapshot.ts';

/** Copies a store of one moment while its owner writes it, and then leaves out free pages. */
export const frozenSource = (freeze: () => Promise<FrozenStore>): SnapshotSource => ({
  async copyTo(folder) {
    const whole = `${folder}-whole`;
    await mkdir(whole, { recursive: true, mode: 0o700 });
    try {
      await write(await freeze(), whole);
      const copy = openReplica(whole);
      try {
        await copy.copyTo(folder);
      } finally {
        await copy.close();
      }
    } finally {
      await rm(whole, { recursive: true, force: true });
    }
  },
});

async function write(frozen: FrozenStore, folder: string) {
  try {
    const file = await open(join(folder, STORE_FILE), 'wx', 0o600);
    try {
      for await (const chunk of frozen.chunks()) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  } finally {
    frozen.close();
  }
}
