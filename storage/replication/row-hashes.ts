import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type Transaction } from 'lmdb';
import { STORE_FILE } from '../frozen-store.ts';
import { withKeyReader, withValueReader } from '../lmdb-internals.ts';
import { schemaTable } from '../migrations/schema-version.ts';
import { TABLES } from '../schema.ts';
import { APPLIED, placeIn } from './applying.ts';
import type { Place } from './commit-log.ts';

/** Hashes of the rows of a store: equal stores have equal ones. */
export interface StoreHashes {
  readonly rows: number;
  /** A hash over all tables. */
  readonly whole: string;
  /** The tables that have rows, by their names in the store. */
  readonly tables: ReadonlyMap<string, string>;
}

/** Hashes the rows of a store as they were at one moment, while the store goes on. */
export interface RowHashing {
  /**
   * Takes the rows as they are now, instead of those of an earlier moment. Returns the newest
   * record that they are of; null if there is none. It costs microseconds; pages that the rows need
   * are kept until all is closed.
   */
  freeze(): Place | null;
  /** Hashes some rows, for about this time (ms). Returns undefined until it has them all. */
  step(msMax: number): StoreHashes | undefined;
  close(): Promise<void>;
}

/**
 * Gets ready to hash the rows of a store that this process has open. Returns undefined if there is
 * none. It is opened once more, which costs some milliseconds and no descriptor, so that it does
 * not matter what becomes of the other opening.
 */
export function openRowHashing(folder: string): RowHashing | undefined {
  if (!existsSync(join(folder, STORE_FILE))) return undefined;
  const env = open<unknown, string>({
    path: folder,
    readOnly: true,
    maxDbs: Object.keys(TABLES).length + 8,
    overlappingSync: false,
  });
  const schema = schemaTable(env);
  // None is opened later: lmdb gives up the transaction then that reads are in.
  const databases = Object.values(TABLES).map(
    ({ name }) => [name, env.openDB<unknown, number>({ name })] as const,
  );
  let frozen: { readonly moment: Transaction; readonly hashing: Hashing } | undefined;
  function letGo() {
    frozen?.hashing.return(NOTHING);
    frozen?.moment.done();
    frozen = undefined;
  }
  return {
    freeze() {
      letGo();
      env.resetReadTxn();
      const moment = env.useReadTransaction();
      const version = Number(schema.get('version', { transaction: moment }));
      frozen = { moment, hashing: hashesOf(databases, { moment, version }) };
      return placeIn(schema.get(APPLIED, { transaction: moment }));
    },
    step(msMax) {
      if (frozen === undefined) throw new Error('no moment of the store is frozen');
      const until = performance.now() + msMax;
      do {
        const { done, value } = frozen.hashing.next();
        if (done) return value;
      } while (performance.now() < until);
      return undefined;
    },
    close() {
      letGo();
      return env.close();
    },
  };
}

type Hashing = Generator<undefined, StoreHashes>;
/** A table by its name in the store. */
type NamedDatabase = readonly [name: string, database: Database<unknown, number>];

const NOTHING: StoreHashes = { rows: 0, whole: '', tables: new Map() };

/** Between two looks at the clock so many rows are hashed, or so many bytes: a tenth of a ms. */
const ROWS_PER_LOOK = 64;
const BYTES_PER_LOOK = 64 * 1024;

interface Moment {
  readonly moment: Transaction;
  readonly version: number;
}

/**
 * Hashes keys and rows as they are stored. Two things are left out, as they differ between equal
 * copies: tables without rows, which a store has or has not by the version of confab that opened
 * it; and the table of the schema, for it holds counts of this store alone (how often accounts and
 * views changed since it was opened), the version of confab that made it, and the last record that
 * was about the realm or that it was told of. The schema itself has to be the same.
 */
function* hashesOf(databases: readonly NamedDatabase[], { moment, version }: Moment): Hashing {
  const tables = new Map<string, string>();
  let rows = 0;
  for (const [name, database] of databases) {
    const hash = createHash('sha256');
    const found = yield* hashTable(database, moment, hash);
    if (found > 0) tables.set(name, hash.digest('hex').slice(0, HASH_LENGTH));
    rows += found;
  }
  tables.set('schema', String(version));
  const all = createHash('sha256');
  for (const [name, hash] of [...tables].toSorted(byName)) all.update(`${name} ${hash}\n`);
  return { rows, whole: all.digest('hex').slice(0, HASH_LENGTH), tables };
}

/** 128 bits: nobody chooses rows here, so that only chance could make two alike. */
const HASH_LENGTH = 32;

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]) =>
  one < other ? -1 : 1;

/** Returns how many rows there are. */
function* hashTable(
  database: Database<unknown, number>,
  moment: Transaction,
  hash: Hash,
): Generator<undefined, number> {
  const pieces = openPieces(hash);
  const read = withValueReader(withKeyReader(database, pieces.addKey), pieces.addValue);
  let rows = 0;
  let bytes = 0;
  for (const { value } of read.getRange({ transaction: moment })) {
    rows += 1;
    bytes += value;
    if (rows % ROWS_PER_LOOK !== 0 && bytes < BYTES_PER_LOOK) continue;
    bytes = 0;
    yield;
  }
  pieces.end();
  return rows;
}

/** Collects keys and rows, as a call of the hash costs as much as a short row. */
function openPieces(hash: Hash) {
  const room = Buffer.allocUnsafe(PIECE_BYTES);
  let used = 0;
  function flush() {
    hash.update(room.subarray(0, used));
    used = 0;
  }
  function add(bytes: Uint8Array) {
    if (used + 4 + bytes.length > PIECE_BYTES) flush();
    used = room.writeUInt32LE(bytes.length, used);
    if (used + bytes.length > PIECE_BYTES) {
      flush();
      hash.update(bytes);
      return;
    }
    room.set(bytes, used);
    used += bytes.length;
  }
  return {
    addKey(bytes: Uint8Array, start: number, end: number): number {
      add(bytes.subarray(start, end));
      return 0;
    },
    addValue(bytes: Uint8Array, size: number): number {
      add(bytes.subarray(0, size));
      return size;
    },
    end: flush,
  };
}

const PIECE_BYTES = 64 * 1024;
