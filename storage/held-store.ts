import { open } from 'lmdb';
import {
  type Databases,
  openDatabases,
  openTables,
  type Readers,
  type TableName,
} from './databases.ts';
import { diskCode } from './files/disk-fault.ts';
import type { Key, KeyPart } from './key.ts';
import { decoderOf } from './lmdb-internals.ts';
import { readyLockFile } from './pages/store-files.ts';
import { shapeOf } from './row-shape.ts';
import { SCHEMA_VERSION, TABLES } from './schema.ts';
import type { Table } from './table.ts';

/** A row as it was found; `fault` says why it is none. */
export interface FoundRow {
  readonly key: Key;
  readonly row: object | undefined;
  readonly fault: string | undefined;
  readonly bytes: number;
}

/**
 * The store of a realm, opened read-only in another process than the server's. Pages that it reads
 * are kept until it is closed.
 */
export interface HeldStore {
  /** Begins to read rows, all as of one moment. Returns undefined if they are of another schema. */
  openRows(): HeldRows | undefined;
  /** Looks into the store as it is now, not as of that moment. */
  has(name: TableName, key: Key): boolean;
  close(): Promise<void>;
}

export interface HeldRows {
  readonly reader: Readers;
  all(name: TableName): Generator<FoundRow>;
}

/**
 * Maps the file into memory, and reads only its first two pages until rows are opened. Removes what
 * readers that ended left behind.
 */
export function holdStore(folder: string): HeldStore {
  readyToRead(folder);
  const env = open<unknown, string>({
    path: folder,
    readOnly: true,
    maxDbs: 2 * Object.keys(TABLES).length + 8,
    overlappingSync: false,
  });
  let moment = env.useReadTransaction();
  let databases: Databases | undefined;
  return {
    openRows() {
      moment.done();
      const version = env.openDB<number, string>({ name: 'schema' })?.get('version');
      if (version !== SCHEMA_VERSION) {
        moment = env.useReadTransaction();
        return undefined;
      }
      databases = openDatabases(env);
      const raw = new Map(
        Object.values(TABLES).map(({ name }) => [
          name,
          env.openDB<Buffer, KeyPart[]>({ name, encoding: 'binary' }),
        ]),
      );
      env.resetReadTxn();
      moment = env.useReadTransaction();
      const reader = openTables(databases, { seenBy: moment });
      const opened = databases;
      return {
        reader,
        *all(table) {
          const declared = TABLES[table] as unknown as Table<Key, object>; // its rows are looked at by its own columns
          const { toRow } = shapeOf(declared);
          const decoder = decoderOf<unknown>(opened[table]);
          const range = raw.get(declared.name)?.getRange({ transaction: moment }) ?? [];
          for (const { key, value } of range) {
            const found = { key: Array.isArray(key) ? key : [key], bytes: value.length };
            try {
              const values = decoder.decode(value);
              if (!Array.isArray(values)) yield { ...found, row: undefined, fault: 'is no row' };
              else if (values.length > declared.columns.length) {
                yield { ...found, row: undefined, fault: 'has more columns than its table' };
              } else yield { ...found, row: toRow(values), fault: undefined };
            } catch (error) {
              const fault = `cannot be read: ${(error as Error).message}`;
              yield { ...found, row: undefined, fault };
            }
          }
        },
      };
    },
    has(name, key) {
      env.resetReadTxn();
      return databases?.[name].get(key as KeyPart[]) !== undefined;
    },
    close() {
      moment.done();
      return env.close();
    },
  };
}

/**
 * A file system that nobody can write to has no writer either, and LMDB does without its lock
 * there.
 */
function readyToRead(folder: string) {
  try {
    readyLockFile(folder);
  } catch (error) {
    if (diskCode(error) !== 'EROFS') throw error;
  }
}
