import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../actors/clock.ts';
import type { SupervisedRealm } from '../../actors/supervisor.ts';
import {
  checkOpened,
  checkStore,
  keepRecord,
  StoreDamaged,
  syncedTransaction,
  writeRecord,
} from '../../storage/pages/store-check.ts';
import { openRealmStore, type RealmStore, type StoreOptions } from '../../storage/store.ts';
import { STORE_RECORD_MS } from '../domain/limits/disk.ts';
import * as realms from '../operations/access/realms.ts';

/** Opens a store after the checks that need not read all of it. Throws `StoreDamaged`. */
export function openWholeStore(
  folder: string,
  realmId: number,
  options: Pick<StoreOptions, 'log' | 'viewFollowers' | 'schemas'> = {},
): RealmStore {
  checkStore(folder);
  const store = openRealmStore(folder, options);
  try {
    const row = store.reader.realm.get(['realm']);
    checkOpened(folder, { id: row?.id, expectedId: realmId, head: store.reader.head() });
  } catch (error) {
    void store.close();
    throw error;
  }
  return store;
}

/**
 * Refuses a realm whose folder is missing while the list of the data directory has it: messages
 * that were acknowledged are gone.
 */
export function requireFolder(folder: string) {
  if (existsSync(folder)) return;
  throw new StoreDamaged(
    `${folder} is missing: restore it from a backup, or remove the realm from realms.json if it was removed on purpose`,
  );
}

interface RecordsInput {
  readonly clock: Clock;
  /** The folder of all realms. */
  readonly folder: string;
  readonly realms: () => readonly SupervisedRealm[];
}

/**
 * Writes a record of its state beside each store: at the start, every minute in which it grew, and
 * at the end. A send never waits for this.
 */
export function openStoreRecords({ clock, folder, realms: all }: RecordsInput) {
  const noted = new Map<string, number>();
  let isClosed = false;
  let timer: unknown;

  const standing = (realm: SupervisedRealm) => {
    const { id, reader } = realm.current();
    return {
      path: join(folder, String(id)),
      event: reader.head(),
      names: [...realms.namesOf(reader)],
    };
  };

  async function note(realm: SupervisedRealm) {
    const { path, ...rest } = standing(realm);
    if (noted.get(path) === rest.event) return;
    await keepRecord(path, { transaction: syncedTransaction(path), ...rest });
    noted.set(path, rest.event);
  }

  /**
   * A record that cannot be written is written the next time: a full disk has room for the stores
   * first.
   */
  async function noteAll() {
    for (const realm of all()) await note(realm).catch(() => undefined);
    if (isClosed) return;
    timer = clock.setTimeout(() => {
      noting = noteAll();
    }, STORE_RECORD_MS);
  }

  let noting = noteAll();
  return {
    /**
     * Stops writing records, closes the stores, and writes the last records when all is on disk.
     */
    async closing(closeStores: () => Promise<unknown>): Promise<void> {
      isClosed = true;
      clock.clearTimeout(timer);
      await noting;
      const last = all().flatMap((realm) => unlessClosed(() => [standing(realm)]) ?? []);
      await closeStores();
      for (const { path, ...rest } of last) {
        unlessClosed(() =>
          writeRecord(path, { transaction: syncedTransaction(path) + 1, ...rest }),
        );
      }
    },
  };
}

/**
 * Ignores a failure of `work`: the realm may be restarting or the disk full, and the record of
 * before stays true.
 */
function unlessClosed<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
