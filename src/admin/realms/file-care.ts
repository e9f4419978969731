import type { Clock } from '../../../actors/clock.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../../actors/supervisor.ts';
import { UNNAMED_FILE_MS, UNNAMED_SEARCH_MS } from '../../domain/limits/files.ts';
import { ApiError, serverStopping } from '../../domain/wire/errors.ts';
import * as realms from '../../operations/access/realms.ts';
import { openNamedFiles } from '../../operations/files/named-files.ts';

interface Care {
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
}

/**
 * Moves the files of a realm from its folder to the store that machines share, and once a day
 * removes from it what no row names. A store that is away is asked again an hour later. For the
 * process that owns the realm alone.
 */
export function keepFiles(realm: SupervisedRealm, { clock, onBug }: Care): SupervisedRealm {
  let timer: unknown;
  let isStopped = false;

  async function care(isSearch: boolean) {
    const current = realm.current();
    if (!current.isOpen()) return AGAIN_MS;
    if (!(await current.files.belongTo(markOf(current)))) throw otherFiles(current);
    await current.files.moveToStore();
    if (isSearch) await removeUnnamedFiles(current);
    return UNNAMED_SEARCH_MS;
  }

  function begin(isSearch: boolean) {
    void care(isSearch)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) && !isStopped) onBug(error);
        return AGAIN_MS;
      })
      .then((pauseMs) => {
        // Files of an import are moved soon; what has no row can wait.
        if (!isStopped) timer = clock.setTimeout(() => begin(true), pauseMs);
      });
  }

  begin(false);
  return {
    current: realm.current,
    async stop(retryAfterMs) {
      isStopped = true;
      clock.clearTimeout(timer);
      await realm.stop(retryAfterMs);
    },
  };
}

const AGAIN_MS = 3_600_000;

/** Returns what no other realm of this number has, here or elsewhere. */
export const markOf = ({ id, reader }: Pick<Realm, 'id' | 'reader'>): string =>
  `realm ${id} of ${realms.existing(reader).dateCreated}`;

const otherFiles = ({ id }: Realm) =>
  new Error(`CONFAB_FILES has files of another realm ${id}: give each server a prefix of its own`);

/** Removes objects that no row of the realm names, a day after they were stored. */
export async function removeUnnamedFiles(realm: Realm): Promise<number> {
  const { isNamed } = openNamedFiles(realm.reader);
  return await realm.files.removeUnnamed({
    // The ages of objects are by the clock of the store, not by that of the realm.
    storedBefore: Date.now() - UNNAMED_FILE_MS,
    isNamed(name, kind) {
      if (!realm.isOpen()) throw serverStopping();
      return isNamed(name, kind);
    },
  });
}
