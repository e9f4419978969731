import type { RootDatabase } from 'lmdb';
import { TABLES } from './schema.ts';
import {
  openDatabase,
  openTable,
  type Table,
  type TableAccess,
  type TableDatabase,
  type TableReader,
} from './table.ts';

type Tables = typeof TABLES;
export type TableName = keyof Tables;
export type Readers = {
  readonly [Name in keyof Tables]: Tables[Name] extends Table<infer K, infer R>
    ? TableReader<K, R>
    : never;
};
export type Databases = Readonly<Record<TableName, TableDatabase>>;

export const openDatabases = (env: RootDatabase): Databases =>
  Object.fromEntries(
    Object.entries(TABLES).map(([name, table]) => [name, openDatabase(env, table)]),
  ) as Databases; // one entry per table, by construction

export const openTables = (databases: Databases, access: TableAccess): Readers =>
  Object.fromEntries(
    Object.entries(databases).map(([name, database]) => [
      name,
      openTable(database, TABLES[name as TableName] as never, access),
    ]),
  ) as unknown as Readers; // one entry per table, by construction
