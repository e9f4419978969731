import type { RootDatabase, Transaction } from 'lmdb';
import { type Logins, openLogins } from './accounts-version.ts';
import { openAuditRecorder } from './audit/recorder.ts';
import { type Batch, NO_COUNTERS, openBatch, runAll, runInTurns } from './batch.ts';
import { openTransactionRows } from './cache/transaction-rows.ts';
import { openTables, type Readers } from './databases.ts';
import { openEnvironment } from './environment.ts';
import { commitFault } from './files/commit-fault.ts';
import { type FrozenStore, frozenStore } from './frozen-store.ts';
import type { Moment } from './key-numbers.ts';
import { waitInTransaction } from './lmdb-internals.ts';
import type { Schemas } from './migrations/migration.ts';
import { SCHEMAS } from './migrations/migrations.ts';
import { migrate, momentNow, requireWritable, schemaTable } from './migrations/schema-version.ts';
import { bytesOf, openPageCounts, type PageBytes } from './pages/page-counts.ts';
import { openReaders } from './readers.ts';
import { openApplying } from './replication/applying.ts';
import type { CommitLog, Place } from './replication/commit-log.ts';
import { openJournal } from './replication/journal.ts';
import { openLoggedCommits } from './replication/logged-commits.ts';
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
   * Resolves when all of it is synced to disk, and before that in the log. Rejects when the commit
   * failed (`NotLogged`: the log does not have it, or may not): then nothing in memory can be
   * trusted. Without a log all operations are run; with one, as many as fit into a record.
   */
  commit(take: Take, now: () => number, another?: Another): Promise<readonly Outcome[]>;
  /** Returns the record of its log that reads see; null if there is none. */
  applied(): Place | null;
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

type Take = () => Iterable<Operation<unknown>>;

/**
 * Is told the outcomes of all operations so far, while the transaction is still open. If it returns
 * a promise, the transaction takes operations again when that is resolved; others read what is
 * committed until then. A store with a log never asks.
 */
type Another = (outcomes: readonly Outcome[]) => Promise<unknown> | undefined;

export interface StoreOptions {
  /**
   * A new store that will be filled with rows of this older schema is migrated when it is opened
   * the next time.
   */
  readonly newAs?: number;
  /** Commits are in this log before they are in the store; by default there is none. */
  readonly log?: CommitLog | undefined;
  /** The schemas that are known; by default those of this version of confab. */
  readonly schemas?: Schemas | undefined;
  /** The processes with views of their own; by default there are none. */
  readonly viewFollowers?: ViewFollowers | undefined;
}

export function openRealmStore(
  path: string,
  { newAs, log, viewFollowers, schemas = SCHEMAS }: StoreOptions = {},
): RealmStore {
  const opened = openEnvironment(path, newAs ?? schemas.newest, schemas.newest);
  const { env, databases } = opened;
  const journal = log === undefined ? undefined : openJournal();
  const writes: Writes = { count: 0, journal };
  const moment: Moment = {};
  const tables = openTables(databases, { writes, moment }) as Writers; // outside of any snapshot they write
  if (log !== undefined) requireWritable(path, opened, schemas);
  else if (newAs === undefined) {
    const { version: from } = opened;
    migrate(env, tables, { from, to: schemas.newest, schemas, moment: momentNow() });
  }

  const logins = openLogins(env);
  const viewNotes = viewFollowers && openViewNotes(schemaTable(env), viewFollowers);
  const views = openViews(tables, viewNotes?.add);
  const caches = openTransactionRows();
  const audit = openAuditRecorder();
  const batch = openBatch(
    operationTables(tables, {
      views,
      caches,
      // A log's commits note it when they are applied.
      onLoginsChanged: journal === undefined ? logins.noteChange : () => undefined,
      audit: newAs === undefined ? audit : null,
    }),
    { writes, views, caches, audit },
  );
  const applying = openApplying({ env, databases, logins });
  const committing = { env, path, batch, moment, logins };
  const commit =
    log === undefined || journal === undefined
      ? openCommits({ ...committing, viewNotes })
      : openLoggedCommits({ ...committing, journal, applying, log });
  const snapshots = new Set<RealmSnapshot>();
  const readerOf = (readers: Readers): RealmReader => ({
    ...readers,
    accountsVersion: logins.version,
    head: () => (readers.counters.get(['counters']) ?? NO_COUNTERS).event,
  });
  const snapshot = () => {
    const made = openSnapshot(env, {
      readerOf: (seenBy) => readerOf(openTables(databases, { seenBy })),
      onClosed: () => snapshots.delete(made),
    });
    snapshots.add(made);
    return made;
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
    commit,
    applied: applying.applied,
    logBytes: () => bytesOf(databases.events),
    pageBytes: openPageCounts(env, databases),
    ...openReaders(env),
    close() {
      // The environment may not be closed under a transaction.
      for (const open of snapshots) open.close();
      return env.close();
    },
  };
}

interface Committing {
  readonly env: RootDatabase<unknown, string>;
  readonly path: string;
  readonly batch: Batch;
  readonly moment: Moment;
  readonly logins: Logins;
  readonly viewNotes?: ReturnType<typeof openViewNotes> | undefined;
}

/** Commits of a store without a log: they are its own transactions. */
const openCommits =
  ({ env, path, batch, moment, logins, viewNotes }: Committing): RealmStore['commit'] =>
  async (take, now, another) => {
    const outcomes: Outcome[] = [];
    const end = () => {
      batch.end();
      viewNotes?.write();
    };
    async function runTurns(first: Promise<unknown>) {
      const transaction = env.useReadTransaction();
      let next: Promise<unknown> | undefined = first;
      try {
        await runInTurns(env, batch, outcomes, async () => {
          next ??= another?.(outcomes);
          if (next === undefined) return undefined;
          moment.transaction = transaction;
          await waitInTransaction(env, next);
          moment.transaction = undefined;
          next = undefined;
          return take();
        });
      } finally {
        transaction.done();
      }
      end();
    }
    const committed = env.transaction(() => {
      batch.begin(now());
      outcomes.push(...runAll(env, batch, take()));
      const next = another?.(outcomes);
      return next === undefined ? end() : runTurns(next);
    });
    await committed.catch(async (error: unknown) => {
      throw await commitFault(error, path);
    });
    logins.committed();
    viewNotes?.tell();
    return outcomes;
  };

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
