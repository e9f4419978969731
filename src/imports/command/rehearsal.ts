import { mkdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draw } from '../../../storage/files/images.ts';
import { keepRealmList, readRealmList } from '../../../storage/files/realm-list.ts';
import { copyStore } from '../../../storage/follower-store.ts';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import type { Statfs } from '../../admin/free-space.ts';
import { nodeOf } from '../../cluster/nodes/node-file.ts';
import { realmFolder } from '../../cluster/realm-folders.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { giveToOwner } from '../../command-line/same-owner.ts';
import type { ServerSettings } from '../../config.ts';
import type { ImportedFiles } from '../running/target.ts';
import { openScratch } from '../scratch.ts';

interface Input {
  readonly settings: ServerSettings;
  readonly data: string;
  readonly realm: string;
  readonly statfs?: Statfs;
}

/** The place that a dry run imports to. */
export interface Rehearsal {
  readonly settings: ServerSettings;
  /** A data directory of its own. */
  readonly data: string;
  readonly files: ImportedFiles;
  /** Removes all of it. */
  close(): void;
}

/**
 * Makes a data directory in a temporary folder, with a copy of the realm if it exists. A dry run is
 * the import itself into it, so that its report is that of the import. Files are read and kept
 * nowhere.
 */
export async function openRehearsal({
  settings,
  data,
  realm,
  statfs: ask = statfs,
}: Input): Promise<Rehearsal> {
  if (nodeOf(data) !== undefined) {
    throw new CommandError(
      'An import does not run on a node of a cluster; docs/operating/importing.md says what to do',
      EXIT.refused,
    );
  }
  const scratch = openScratch();
  try {
    const folder = scratch.path();
    mkdirSync(folder, { mode: 0o700 });
    const listed = readRealmList(data).find(({ names }) => names.includes(realm));
    if (listed !== undefined) {
      const [from, to] = [realmFolder(data, listed.id), realmFolder(folder, listed.id)];
      await expectRoom(join(from, STORE_FILE), ask);
      mkdirSync(to, { recursive: true, mode: 0o700 });
      await copyStore(from, to);
      giveToOwner(data); // a store that is opened gets a lock file
      keepRealmList(folder, [listed]);
    }
    return {
      settings: { ...settings, data: folder, files: null },
      data: folder,
      files: NOWHERE,
      close: scratch.remove,
    };
  } catch (error) {
    scratch.remove();
    throw error;
  }
}

const MIB = 1024 ** 2;

/** Refuses to copy a store that would fill the disk of temporary files. */
async function expectRoom(store: string, ask: Statfs) {
  const { size } = statSync(store);
  const { bavail, bsize } = await ask(tmpdir());
  const free = bavail * bsize;
  if (size < free) return;
  throw new CommandError(
    `A dry run copies the realm, which takes ${Math.ceil(size / MIB)} MiB, and ${tmpdir()} has ` +
      `${Math.floor(free / MIB)} MiB left: set TMPDIR to a folder with more room`,
    EXIT.refused,
  );
}

const NOWHERE: ImportedFiles = {
  receive: async () => ({
    write: async () => undefined,
    keep: async () => undefined,
    settle: async () => undefined,
    discard: async () => undefined,
  }),
  measure: async () => undefined,
  draw,
};
