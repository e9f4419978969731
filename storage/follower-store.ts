import { open } from 'lmdb';
import { accountsVersionIn } from './accounts-version.ts';
import { NO_COUNTERS } from './batch.ts';
import { openDatabases, openTables } from './databases.ts';
import { schemaTable } from './migrations/schema-version.ts';
import { readyLockFile } from './pages/store-files.ts';
import { SCHEMA_VERSION, TABLES } from './schema.ts';
import { committedTables } from './table-caches.ts';
import { openToldViews, type ToldViews } from './told-views.ts';
import type { RealmReader, Writers } from './transaction.ts';

/**
 * The store of a realm in a process that only reads it, while another one writes. It shares the
 * writer's file and memory map, and what it reads is on disk: a commit is seen by no process before
 * it is synced (docs/decisions/0021-no-overlapping-sync.md).
 */
export interface FollowerStore {
  readonly reader: RealmReader;
  readonly views: ToldViews;
  /**
   * Makes later reads see what is committed now. Without it they may see the state of an earlier
   * read of the same turn.
   */
  refresh(): void;
  close(): Promise<void>;
}

/**
 * Copies the rows that a store has at this moment to a folder that is empty. Another process
 * may write the store meanwhile; pages that it frees stay in its file until the copy is done.
 */
export async function copyStore(folder: string, to: string): Promise<void> {
  const env = openToRead(folder);
  try {
    await env.backup(to, true);
  } finally {
    await env.close();
  }
  await commitOnce(to);
}

/** A store is checked by its last two commits, and a copy has only one. */
async function commitOnce(folder: string) {
  readyLockFile(folder);
  const env = open<unknown, string>({ path: folder, ...OPTIONS });
  const schema = schemaTable(env);
  const version = schema.get('version');
  if (version !== undefined) await schema.put('version', version);
  await env.close();
}

const OPTIONS = { maxDbs: Object.keys(TABLES).length + 8, overlappingSync: false } as const;

function openToRead(folder: string) {
  readyLockFile(folder);
  return open<unknown, string>({ path: folder, readOnly: true, ...OPTIONS });
}

/** Opens a store that a writer of this schema has open. */
export function openFollowerStore(folder: string): FollowerStore {
  const env = openToRead(folder);
  const schema = schemaTable(env);
  const version = schema.get('version');
  if (version !== SCHEMA_VERSION) {
    throw new Error(`the store has schema ${version}, and this process reads ${SCHEMA_VERSION}`);
  }
  const databases = openDatabases(env);
  // A store that was opened to be read has no rows written, whatever its tables could do.
  const tables = openTables(databases, {}) as Writers;
  const readers = committedTables(tables, databases);
  const reader: RealmReader = {
    ...readers,
    accountsVersion: () => accountsVersionIn(schema),
    head: () => (readers.counters.get(['counters']) ?? NO_COUNTERS).event,
  };
  return {
    reader,
    views: openToldViews(reader, schema),
    refresh: () => env.resetReadTxn(),
    close: () => env.close(),
  };
}
