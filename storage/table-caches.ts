import type { AuditRecorder } from './audit/recorder.ts';
import { committedRows } from './cache/committed-rows.ts';
import type { openTransactionRows } from './cache/transaction-rows.ts';
import type { Databases, Readers, TableName } from './databases.ts';
import type { Key } from './key.ts';
import { TABLES } from './schema.ts';
import { storedRows, type Table, type TableWriter } from './table.ts';
import type { Writers } from './transaction.ts';
import type { openViews } from './views.ts';

interface Watching {
  readonly views: ReturnType<typeof openViews>;
  readonly caches: ReturnType<typeof openTransactionRows>;
  /** Called for each write to a table that decides who may log in. */
  readonly onLoginsChanged: () => void;
  /** Compares rows before and after; null where rows are loaded that other writes have made. */
  readonly audit: AuditRecorder | null;
}

/** The tables as operations read and write them, each with what its declaration asks for. */
export const operationTables = (
  tables: Writers,
  { views, caches, onLoginsChanged, audit }: Watching,
): Writers =>
  each(tables, (name, table, { decidesLogins, feedsViews, cache, audited }) => {
    const counted = decidesLogins ? notingWrites(table, onLoginsChanged) : table;
    const fed = feedsViews ? views.feeding(name, counted) : counted;
    const cached = cache === undefined ? fed : caches.cached(fed, cache);
    return audit === null || audited.length === 0 ? cached : audit.watching(name, cached, audited);
  });

/** The tables as readers of what is committed read them. */
export const committedTables = (tables: Writers, databases: Databases): Readers =>
  each(tables, (name, table, declared) =>
    declared.cache === undefined
      ? table
      : committedRows(table, storedRows(databases[name], declared), declared.cache),
  );

type AnyWriter = TableWriter<Key, object>;
type AnyTable = Table<Key, object>;

const each = <To>(
  tables: Writers,
  made: (name: TableName, table: AnyWriter, declared: AnyTable) => unknown,
): To =>
  Object.fromEntries(
    Object.entries(TABLES).map(([name, declared]) => [
      name,
      made(name as TableName, tables[name as TableName] as never, declared as never),
    ]),
  ) as To; // one entry per table, each of the type of its own declaration

const notingWrites = (table: AnyWriter, onWrite: () => void): AnyWriter => ({
  ...table,
  put(key, row) {
    onWrite();
    table.put(key, row);
  },
  remove(key) {
    onWrite();
    table.remove(key);
  },
});
