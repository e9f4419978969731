import { open, type RootDatabase } from 'lmdb';
import { type Databases, openDatabases } from './databases.ts';
import { versionOf } from './migrations/schema-version.ts';
import { readyStoreFiles } from './pages/store-files.ts';
import { SCHEMA_VERSION, TABLES } from './schema.ts';

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

export interface Environment {
  readonly env: RootDatabase<unknown, string>;
  readonly databases: Databases;
  /** The schema of the store. */
  readonly version: number;
}

/**
 * Opens the files of a store for writing, and makes them, with the schema `newAs`, if there are
 * none. Refuses a store with a newer schema than `newest`.
 */
export function openEnvironment(
  path: string,
  newAs: number,
  newest: number = SCHEMA_VERSION,
): Environment {
  readyStoreFiles(path);
  const env = open<unknown, string>({
    path,
    maxDbs: Object.keys(TABLES).length + 8,
    maxReaders: READERS_MAX,
    // A commit becomes visible to reads only once it is synced: what is read is durable, too.
    overlappingSync: false,
    ...FREE_PAGES,
  });
  // In one transaction: a sync for each table of a new store would hold up the other realms of the
  // process for a second.
  return env.transactionSync(() => ({
    env,
    version: versionOf(env, path, { newAs, newest }),
    databases: openDatabases(env),
  }));
}
