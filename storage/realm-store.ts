import { statfsSync } from 'node:fs';
import { open, type RootDatabase, type Transaction } from 'lmdb';
import { NO_COUNTERS, openBatch, runAll } from './batch.ts';
import { type Databases, openDatabases, openTables, type Readers } from './databases.ts';
import { decodedRows } from './decoded-rows.ts';
import { diskCode, diskFault } from './files/disk-fault.ts';
import { type FrozenStore, frozenStore } from './frozen-store.ts';
import { keptRows } from './kept-rows.ts';
import type { Key } from './key.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openMirrors } from './mirrors.ts';
import { readyStoreFiles } from './pages/store-files.ts';
import { openRowCaches } from './row-caches.ts';
import { SCHEMA_VERSION, TABLES } from './schema.ts';
import { storedRows, type TableDatabase, type TableWriter, type Writes } from './table.ts';
import {
  MIRRORED_TABLES,
  type MirroredReaders,
  type Operation,
  type Outcome,
  type RealmReader,
  type RealmSnapshot,
  type Writers,
} from './transaction.ts';

export interface RealmStore {
  readonly reader: RealmReader;
  snapshot(): RealmSnapshot;
  /** What is committed now, as rows and as the bytes of the store. */
  freeze(): Promise<FrozenStore>;
  /**
   * Asks for the time and the operations when the transaction begins, and for each operation when the one before it is done;
   * runs them in order, each on its own, and commits them together. Resolves when all of it is synced to disk. Rejects when the commit failed: then nothing in memory can be trusted.
   */
  commit(take: () => Iterable<Operation<unknown>>, now: () => number): Promise<readonly Outcome[]>;
  /** Bytes that the event log takes. */
  logBytes(): number;
  close(): Promise<void>;
}

export class StoreTooNew extends Error {}

/** A reader slot is held for moments only, and there is one process: this bounds the lock file, not the service. */
const READERS_MAX = 126;

/**
 * Pages of free space that LMDB knows of at a time, of those that removed rows left. Every commit walks through all of
 * them, so one that trims a long log would slow down the sends after it (docs/decisions/0107-free-pages.md).
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 5000, maxFreeSpaceToRetain: 7500 };

interface StoreOptions {
  /** Of a store that is to be filled with rows of an older schema: it is migrated when it is opened the next time. */
  readonly newAs?: number;
}

export function openRealmStore(path: string, { newAs }: StoreOptions = {}): RealmStore {
  readyStoreFiles(path);
  const env = open<unknown, string>({
    path,
    maxDbs: Object.keys(TABLES).length + 8,
    maxReaders: READERS_MAX,
    // A commit becomes visible to reads only once it is synced: what is read is durable, too.
    overlappingSync: false,
    ...FREE_PAGES,
  });
  // In one transaction: a sync for each table of a new store would hold up the other realms of the process for a second.
  const { version, databases } = env.transactionSync(() => ({
    version: versionOf(env, path, newAs ?? SCHEMA_VERSION),
    databases: openDatabases(env),
  }));
  const writes: Writes = { count: 0 };
  const tables = openTables(databases, { writes }) as Writers; // outside of any snapshot they write

  if (version < SCHEMA_VERSION && newAs === undefined) migrate(env, tables, version);

  let accountsVersion = 0;
  const watched = watchAccounts(tables);
  const mirrors = openMirrors<MirroredReaders>(tables);
  const caches = openRowCaches();
  const batch = openBatch(cached(mirrored(watched.tables, mirrors), caches), {
    writes,
    mirrors,
    caches,
  });
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
    reader: readerOf({ ...tables, ...searched(tables), ...readOften(tables, databases) }),
    snapshot,
    // Nobody else writes while this transaction is open, so the rows and the bytes are of one moment.
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
      });
      await committed.catch(async (error: unknown) => {
        throw await commitFault(error, path);
      });
      if (watched.takeTouched()) accountsVersion += 1;
      return outcomes;
    },
    logBytes: () => bytesOf(databases.events),
    close() {
      // The environment may not be closed under a transaction.
      for (const snapshot of snapshots) snapshot.close();
      return env.close();
    },
  };
}

/** LMDB rejects with an error that promises the one which says why. */
async function commitFault(error: unknown, path: string): Promise<unknown> {
  const promised = (error as { commitError?: Promise<unknown> }).commitError;
  if (promised === undefined) return error;
  // Should it say no more, the process still has to end.
  const patience = new Promise((resolve) => setTimeout(resolve, COMMIT_FAULT_MS));
  const cause = await Promise.race([promised, patience]).catch((reason: unknown) => reason);
  if (cause === undefined) return error;
  const code = isCutShort(cause, path) ? 'ENOSPC' : diskCode(cause);
  const failed = new Error(`a commit failed: ${diskFault({ message: String(cause), code })}`, {
    cause,
  });
  return code === undefined ? failed : Object.assign(failed, { code });
}

const COMMIT_FAULT_MS = 500;

/** LMDB takes a write of which the disk had room for a part alone for a fault of the disk. */
function isCutShort(cause: unknown, path: string): boolean {
  if (diskCode(cause) !== 'EIO') return false;
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < WRITTEN_BYTES_MAX;
  } catch {
    return false;
  }
}

/** More than LMDB writes at once: whatever has no room has filled the disk. */
const WRITTEN_BYTES_MAX = 1024 * 1024;

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

/** Tables that say who may log in. A write that is rolled back counts as well: it costs a look into the store, no more. */
const ACCOUNT_TABLES = ['users', 'apiKeys', 'realm'] as const;

function watchAccounts(tables: Writers) {
  let isTouched = false;
  const watch = <K extends Key, R extends object>(table: TableWriter<K, R>): TableWriter<K, R> => ({
    ...table,
    put(key, row) {
      isTouched = true;
      table.put(key, row);
    },
    remove(key) {
      isTouched = true;
      table.remove(key);
    },
  });
  return {
    tables: {
      ...tables,
      ...Object.fromEntries(ACCOUNT_TABLES.map((name) => [name, watch(tables[name] as never)])),
    } as Writers, // each under its own name, of its own type
    takeTouched() {
      const was = isTouched;
      isTouched = false;
      return was;
    },
  };
}

const mirrored = (tables: Writers, mirrors: Mirrors): Writers => ({
  ...tables,
  ...(Object.fromEntries(
    MIRRORED_TABLES.map((name) => [name, mirrors.watch(name, tables[name] as never)]),
  ) as Pick<Writers, (typeof MIRRORED_TABLES)[number]>), // each under its own name, of its own type
});

type Mirrors = ReturnType<typeof openMirrors<MirroredReaders>>;

/** Tables of which nearly every send reads a row that hardly ever changes. */
const CACHED_TABLES = [
  'channelNames',
  'channels',
  'groupCrowds',
  'muters',
  'numberLines',
  'realm',
  'subscriptions',
  'userTopics',
  'users',
] as const;

/** Tables of which nearly every send reads and writes a row that the next one in its topic reads again. */
const REWRITTEN_TABLES = ['topicParticipants', 'topics'] as const;

/** A crowd may be everybody: ids that weigh as much in memory as a row of another table. */
const IDS_PER_ROW = 64;

function cached(tables: Writers, caches: Caches): Writers {
  const watched = (names: readonly (keyof Writers)[], keepsWritten: boolean) =>
    names.map((name) => [name, caches.watch(tables[name] as never, { keepsWritten })]);
  return {
    ...tables,
    ...Object.fromEntries([...watched(CACHED_TABLES, false), ...watched(REWRITTEN_TABLES, true)]),
    crowds: caches.watch(tables.crowds, {
      keepsWritten: false,
      sizeOf: ({ userIds }) => 1 + userIds.length / IDS_PER_ROW,
    }),
  } as Writers; // each under its own name, of its own type
}

type Caches = ReturnType<typeof openRowCaches>;

/**
 * The parts of the search index that are looked through again and again: enough for two million messages. Of each table as
 * much as that may be in memory twice.
 */
const searched = (tables: Readers) => ({
  searchSegments: keptRows(tables.searchSegments, {
    bytesOf: ({ firstTerms }) => firstTerms.length * 32,
    bytesMax: 1_000_000,
  }),
  searchBlocks: keptRows(tables.searchBlocks, {
    bytesOf: ({ terms }) => terms.length,
    bytesMax: 8_000_000,
  }),
  searchLists: keptRows(tables.searchLists, {
    bytesOf: ({ lists }) => lists.length,
    bytesMax: 8_000_000,
  }),
});

/** What every page of messages looks up, of its senders and of the channels of who asks. */
const readOften = (tables: Readers, databases: Databases) => ({
  channels: decodedRows(tables.channels, storedRows(databases.channels, TABLES.channels)),
  subscriptions: decodedRows(
    tables.subscriptions,
    storedRows(databases.subscriptions, TABLES.subscriptions),
  ),
  users: decodedRows(tables.users, storedRows(databases.users, TABLES.users)),
});

/** Of a store that was just made: the newest. */
function versionOf(env: RootDatabase<unknown, string>, path: string, newAs: number): number {
  const database = schemaTable(env);
  const version = database.get('version');
  if (version === undefined) void database.put('version', newAs);
  else if (version > SCHEMA_VERSION) {
    throw new StoreTooNew(
      `${path} was written by a newer version of confab (schema ${version}; this one knows ${SCHEMA_VERSION})`,
    );
  }
  return version ?? newAs;
}

/** Each step and its number in one transaction: a kill in between leaves the store as one version or the other. */
function migrate(env: RootDatabase<unknown, string>, tables: Writers, from: number) {
  const database = schemaTable(env);
  for (let version = from + 1; version <= SCHEMA_VERSION; version++) {
    const step = MIGRATIONS.get(version);
    if (step === undefined) throw new Error(`there is no migration to schema ${version}`);
    env.transactionSync(() => {
      step(tables);
      void database.put('version', version);
    });
  }
}

const schemaTable = (env: RootDatabase<unknown, string>) =>
  env.openDB<number, string>({ name: 'schema' });

/** Pages of a table, as LMDB counts them. */
function bytesOf(database: TableDatabase): number {
  const stats = database.getStats() as Record<string, number>; // their type says nothing
  const pages =
    (stats['treeBranchPageCount'] ?? 0) +
    (stats['treeLeafPageCount'] ?? 0) +
    (stats['overflowPages'] ?? 0);
  return pages * (stats['pageSize'] ?? 4096);
}
