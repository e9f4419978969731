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
  /** The folder of uploads in the folder of a realm. */
  readonly uploads: string;
  readonly now: () => number;
  /** Returns the ids of realms, also of those whose folders are gone. */
  ids(): readonly number[];
  isTaken(stringId: string): boolean;
  /** Reserves a name until the returned function is called. */
  claim(stringId: string): (isGiven: boolean) => void;
  /** Starts a realm whose folder is complete. */
  open(id: number): Promise<Realm>;
}

interface NewRealm {
  readonly stringId: string;
  readonly name: string;
}

/**
 * Makes realms in a temporary folder and renames it, so that a crash leaves all of a realm or
 * nothing.
 */
export function openMaking({ folder, uploads, now, ids, isTaken, claim, open }: Making) {
  let last: Promise<unknown> = Promise.resolve();
  /** Runs one after the other, because each takes the next free id. */
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
    await writeAlone(aside, now, (tx) => {
      tx.actAs('operator');
      write(tx, id);
    });
    const path = join(folder, String(id));
    // The names of its files are synced before its own: a power failure leaves no realm without its
    // store.
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
    /** Makes a realm from an archive. The long part runs while other realms may be made. */
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

/** The folder of a realm is named after its id. */
export const folderIds = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort(ascending);

/** The prefix of folders whose realm is still being made, or is being removed. */
export const ASIDE = '.new-';

/** Removes the folder of a realm that was stopped, at one moment for all who look. */
export async function removeFolder(folder: string, id: number) {
  const aside = join(folder, `${ASIDE}${randomBytes(8).toString('hex')}`);
  await rename(join(folder, String(id)), aside);
  await syncFolder(folder);
  await rm(aside, { recursive: true, force: true });
}

/** Removes what a killed server had begun to make or to remove; nothing is at this time. */
export function removeUnmade(folder: string) {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ASIDE)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Runs one operation on a store that is not open elsewhere. */
export async function writeAlone(path: string, now: () => number, write: Operation<void>) {
  const store = openRealmStore(path);
  const [outcome] = await store.commit(() => [write], now);
  await store.close();
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
}
