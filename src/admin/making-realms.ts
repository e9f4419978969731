import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { syncFolder } from '../../storage/files/disk.ts';
import { openRealmStore } from '../../storage/store.ts';
import { loadArchive } from '../archives/load-archive.ts';
import { ascending } from '../domain/ascending.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Operation, RealmTransaction } from '../operations/access/caller.ts';
import * as realms from '../operations/access/realms.ts';
import * as attachments from '../operations/files/attachments.ts';

interface Making {
  /** The folder of all realms. */
  readonly folder: string;
  /** In the folder of a realm, that of its files. */
  readonly uploads: string;
  readonly now: () => number;
  /** Of realms that there are, and of those whose folders are gone. */
  ids(): readonly number[];
  isTaken(stringId: string): boolean;
  /** Nobody else gets the name until what is returned is called. */
  claim(stringId: string): (isGiven: boolean) => void;
  /** Starts the realm of a folder that is complete. */
  open(id: number): Promise<Realm>;
}

interface NewRealm {
  readonly stringId: string;
  readonly name: string;
}

/** Makes realms aside and renames them into place: all of one or nothing, whenever the process dies. */
export function openMaking({ folder, uploads, now, ids, isTaken, claim, open }: Making) {
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: each takes the next free number. */
  function inTurn<Result>(make: () => Promise<Result>): Promise<Result> {
    const made = last.then(make);
    last = made.catch(() => undefined);
    return made;
  }

  function refuseTaken(stringId: string) {
    realms.refuseStringId(stringId);
    if (isTaken(stringId)) throw errors.badRequest(`There is a realm '${stringId}' already`);
  }

  async function place(aside: string, write: (tx: RealmTransaction, id: number) => void) {
    const id = Math.max(0, ...ids()) + 1;
    await writeAlone(aside, now, (tx) => write(tx, id));
    const path = join(folder, String(id));
    // The names of its files are on disk before its own is: a power failure leaves no realm without its store.
    await syncFolder(aside);
    await rename(aside, path);
    await syncFolder(folder);
    return await open(id);
  }

  async function made(stringId: string, fill: (aside: string) => Promise<Realm>): Promise<Realm> {
    refuseTaken(stringId);
    const settle = claim(stringId);
    const aside = join(folder, `${ASIDE}${randomBytes(8).toString('hex')}`);
    try {
      mkdirSync(aside, { mode: 0o700 });
      return await fill(aside);
    } finally {
      settle(false);
      await rm(aside, { recursive: true, force: true });
    }
  }

  return {
    create: ({ stringId, name }: NewRealm, fill: (tx: RealmTransaction) => void) =>
      inTurn(() =>
        made(stringId, (aside) =>
          place(aside, (tx, id) => {
            realms.create(tx, { id, stringId, name });
            fill(tx);
          }),
        ),
      ),
    /** Of an archive. What takes long is done while others may be made. */
    adopt: (stringId: string, archive: string): Promise<Realm> =>
      made(stringId, async (aside) => {
        await loadArchive({ archive, folder: aside, uploads, now });
        return await inTurn(() =>
          place(aside, (tx, id) => {
            realms.settle(tx, { id, stringId });
            attachments.takeStock(tx);
          }),
        );
      }),
  };
}

/** Folders are named by the id of their realm. */
export const folderIds = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort(ascending);

/** What folders begin with whose realm is still being made. */
const ASIDE = '.new-';

/** Removes what a server that was killed had begun to make; nobody makes anything here now. */
export function removeUnmade(folder: string) {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ASIDE)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** One operation on a store that nobody else has open. */
async function writeAlone(path: string, now: () => number, write: Operation<void>) {
  const store = openRealmStore(path);
  const [outcome] = await store.commit(() => [write], now);
  await store.close();
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
}
