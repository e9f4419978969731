import { open, type RootDatabase } from 'lmdb';
import { type Databases, openDatabases } from './databases.ts';
import { versionOf } from './migrations/schema-version.ts';
import { readyStoreFiles } from './pages/store-files.ts';
import { TABLES } from './schema.ts';

/**
 * There is one process, and it holds a slot only for moments: this bounds the lock file, not the
 * service.
 */
const READERS_MAX = 126;

/**
 * LMDB knows of so many free pages at a time, of those that removed rows left. Every commit walks
 * through all of them, so one that trims a long log would slow down the sends after it
 * (docs/decisions/0107-free-pages.md).
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 5000, maxFreeSpaceToRetain: 7500 };

interface EnvironmentOptions {
  /**
   * What the store has is in a log as well, which other machines keep: then a commit is visible to
   * reads while its sync is under way, and a power failure takes the store back to an earlier
   * commit, from which it follows the log again (docs/decisions/0230-log-before-store.md).
   */
  readonly isLogged: boolean;
  /** The schema that a new store gets. */
  readonly newAs: number;
}

export interface Environment {
  readonly env: RootDatabase<unknown, string>;
  readonly databases: Databases;
  /** The schema of the store. */
  readonly version: number;
}

/** Opens the files of a store for writing, and makes them if there are none. */
export function openEnvironment(
  path: string,
  { isLogged, newAs }: EnvironmentOptions,
): Environment {
  readyStoreFiles(path);
  const env = open<unknown, string>({
    path,
    maxDbs: Object.keys(TABLES).length + 8,
    maxReaders: READERS_MAX,
    // Without a log a commit becomes visible only once it is synced: what is read is durable, too.
    overlappingSync: isLogged,
    ...FREE_PAGES,
  });
  // In one transaction: a sync for each table of a new store would hold up the other realms of the
  // process for a second.
  return env.transactionSync(() => ({
    env,
    version: versionOf(env, path, newAs),
    databases: openDatabases(env),
  }));
}
