import { open, type RootDatabase, type Transaction } from 'lmdb';
import { openAuditRecorder } from './audit/recorder.ts';
import { NO_COUNTERS, openBatch, runAll } from './batch.ts';
import { openTransactionRows } from './cache/transaction-rows.ts';
import { openDatabases, openTables, type Readers } from './databases.ts';
import { commitFault } from './files/commit-fault.ts';
import { type FrozenStore, frozenStore } from './frozen-store.ts';
import { migrate, type SchemaTable, schemaTable, versionOf } from './migrations/schema-version.ts';
import { bytesOf, type PageBytes, pageBytesOf } from './pages/page-counts.ts';
import { readyStoreFiles } from './pages/store-files.ts';
import { openReaders } from './readers.ts';
import { SCHEMA_VERSION, TABLES } from './schema.ts';
import type { Writes } from './table.ts';
import { committedTables, operationTables } from './table-caches.ts';
import { openViewNotes, type ViewFollowers } from './told-views.ts';
import type { Operation, Outcome, RealmReader, RealmSnapshot, Writers } from './transaction.ts';
import { openViews } from './views.ts';

export interface RealmStore {
  readonly reader: RealmReader;
  snapshot(): RealmSnapshot;
  /** Opens the rows that are committed now, and the bytes of the store that hold exactly these. */
  freeze(): Promise<FrozenStore>;
  /**
   * Asks for the time and the operations when the transaction begins, and for each operation when
   * the one before it is done; runs them in order, each on its own, and commits them together.
   * Resolves when all of it is synced to disk. Rejects when the commit failed: then nothing in
   * memory can be trusted.
   */
  commit(take: () => Iterable<Operation<unknown>>, now: () => number): Promise<readonly Outcome[]>;
  /** Returns how many bytes of the store the event log takes. */
  logBytes(): number;
  /** Returns the bytes of the pages in use, and of the free ones between them. */
  pageBytes(): PageBytes;
  /**
   * Returns for how long (ms) the oldest reader has held back pages that later commits freed: the
   * time since it was first seen to do so, by this method.
   */
  oldestReaderMs(now: number): number;
  /** Frees what readers of other processes that were killed still hold. */
  forgetDeadReaders(): void;
  close(): Promise<void>;
}

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

const ENVIRONMENT = {
  maxDbs: Object.keys(TABLES).length + 8,
  maxReaders: READERS_MAX,
  // A commit becomes visible to reads only once it is synced: what is read is durable, too.
  overlappingSync: false,
  ...FREE_PAGES,
};

interface StoreOptions {
  /**
   * A new store that will be filled with rows of this older schema is migrated when it is opened
   * the next time.
   */
  readonly newAs?: number;
  /** The processes with views of their own; by default there are none. */
  readonly viewFollowers?: ViewFollowers | undefined;
}

export function openRealmStore(
  path: string,
  { newAs, viewFollowers }: StoreOptions = {},
): RealmStore {
  readyStoreFiles(path);
  const env = open<unknown, string>({ path, ...ENVIRONMENT });
  // In one transaction: a sync for each table of a new store would hold up the other realms of the
  // process for a second.
  const { version, databases } = env.transactionSync(() => ({
    version: versionOf(env, path, newAs ?? SCHEMA_VERSION),
    databases: openDatabases(env),
  }));
  const writes: Writes = { count: 0 };
  const tables = openTables(databases, { writes }) as Writers; // outside of any snapshot they write

  if (version < SCHEMA_VERSION && newAs === undefined) migrate(env, tables, version);

  const schema = schemaTable(env);
  let accountsVersion = accountsVersionIn(schema);
  let loginsChanged = false;
  const viewNotes = viewFollowers && openViewNotes(schema, viewFollowers);
  const views = openViews(tables, viewNotes?.add);
  const caches = openTransactionRows();
  const onLoginsChanged = () => {
    loginsChanged = true;
    noteAccountsVersion(schema, accountsVersion + 1);
  };
  const audit = openAuditRecorder();
  const watching = { views, caches, onLoginsChanged, audit: newAs === undefined ? audit : null };
  const batch = openBatch(operationTables(tables, watching), { writes, views, caches, audit });
  const snapshots = new Set<RealmSnapshot>();
  const readerOf = (readers: Readers): RealmReader => ({
    ...readers,
    accountsVersion: () => accountsVersion,
    head: () => (readers.counters.get(['counters']) ?? NO_COUNTERS).event,
  });
  const snapshot = () => {
    const opened = openSnapshot(env, {
      readerOf: (seenBy) => readerOf(openTables(databases, { seenBy })),
      onClosed: () => snapshots.delete(opened),
    });
    snapshots.add(opened);
    return opened;
  };
  return {
    reader: readerOf(committedTables(tables, databases)),
    snapshot,
    // No other writer has a transaction while this one is open, so the rows and the bytes are of
    // one moment.
    freeze: () =>
      env.transaction(() =>
        frozenStore(path, () => {
          env.resetReadTxn();
          return snapshot();
        }),
      ),
    async commit(take, now) {
      let outcomes: Outcome[] = [];
      const committed = env.transaction(() => {
        batch.begin(now());
        outcomes = runAll(env, batch, take());
        batch.end();
        viewNotes?.write();
      });
      await committed.catch(async (error: unknown) => {
        throw await commitFault(error, path);
      });
      // A write that was undone counts as well: it costs a look into the store.
      if (loginsChanged) accountsVersion += 1;
      loginsChanged = false;
      viewNotes?.tell();
      return outcomes;
    },
    logBytes: () => bytesOf(databases.events),
    pageBytes: () => pageBytesOf(env, databases),
    ...openReaders(env),
    close() {
      // The environment may not be closed under a transaction.
      for (const snapshot of snapshots) snapshot.close();
      return env.close();
    },
  };
}

/** It is no row of a table: it means nothing outside of this store. */
const ACCOUNTS = 'accounts version';

/** Processes that only read see it with the change, and not at all if that is undone. */
const noteAccountsVersion = (schema: SchemaTable, version: number) =>
  void schema.put(ACCOUNTS, version);

/** Returns the version of the accounts as it is stored. */
export const accountsVersionIn = (schema: SchemaTable): number => Number(schema.get(ACCOUNTS) ?? 0);

interface SnapshotInput {
  readonly readerOf: (seenBy: Transaction) => RealmReader;
  readonly onClosed: () => void;
}

function openSnapshot(env: RootDatabase, { readerOf, onClosed }: SnapshotInput): RealmSnapshot {
  const transaction = env.useReadTransaction();
  let reader: RealmReader | undefined = readerOf(transaction);
  return {
    get reader() {
      if (reader === undefined) throw new Error('this snapshot is closed');
      return reader;
    },
    close() {
      if (reader === undefined) return;
      reader = undefined;
      transaction.done();
      onClosed();
    },
  };
}
