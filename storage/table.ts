import type { Database, RootDatabase, Transaction } from 'lmdb';
import type { AuditDeclaration } from './audit/declaration.ts';
import type { CacheDeclaration } from './cache/policy.ts';
import type { Key, KeyPart } from './key.ts';
import {
  type Moment,
  type NumberRange,
  type NumbersWithTexts,
  openKeyNumbers,
  type PieceBounds,
} from './key-numbers.ts';
import { leadingNumbers } from './leading-numbers.ts';
import { decoderOf, encoderOf } from './lmdb-internals.ts';
import type { Journal } from './replication/journal.ts';
import { type Codecs, encoded, NO_COLUMNS, NO_VALUES, shapeOf } from './row-shape.ts';

/**
 * A table: its name in the store, its key and its row. A row is stored as a msgpack array of its
 * columns in the order given here, so a row carries no field names. A column is only ever added at
 * the end, with what older rows have for it; anything else is a migration.
 */
export interface Table<K extends Key, R extends object> {
  readonly name: string;
  readonly columns: readonly (keyof R & string)[];
  /**
   * Rows that were written before a column was added have these values. All share them, so they
   * never change in place.
   */
  readonly defaults: Readonly<Partial<R>>;
  /** These columns are stored in another shape than rows have them in. */
  readonly codecs: Codecs<R>;
  /**
   * The memory that answers for single rows (`storage/cache/policy.ts`); undefined if the store is
   * asked each time.
   */
  readonly cache: CacheDeclaration<R> | undefined;
  /** Writes are told to the materialized views that are made of the table. */
  readonly feedsViews: boolean;
  /**
   * A commit that writes here changes `accountsVersion`, so that accounts which were read before
   * are read again.
   */
  readonly decidesLogins: boolean;
  /** Says what the audit log records of writes here; of most tables nothing. */
  readonly audited: readonly AuditDeclaration<K, R>[];
  /** Never present: they only carry the types. */
  readonly keyType?: K;
  readonly rowType?: R;
}

type TableOptions<K extends Key, R extends object> = Partial<
  Pick<Table<K, R>, 'defaults' | 'codecs' | 'cache' | 'feedsViews' | 'decidesLogins' | 'audited'>
>;

export interface RangeOptions {
  /** Inclusive unless `isExclusiveStart`. */
  readonly start?: Key;
  /** Exclusive. */
  readonly end?: Key;
  readonly isReverse?: boolean;
  readonly limit?: number;
}

export interface TableReader<K extends Key, R extends object> {
  get(key: K): R | undefined;
  has(key: K): boolean;
  /** The first columns of a row, which are numbers or null; reads no more of it. */
  leading(key: K, count: number): readonly (number | null)[] | undefined;
  /** Rows whose key begins with `prefix`, in key order. */
  under(prefix: Key, options?: Omit<RangeOptions, 'start' | 'end'>): Iterable<readonly [K, R]>;
  keysUnder(prefix: Key, options?: Omit<RangeOptions, 'start' | 'end'>): Iterable<K>;
  /** How many rows there are, of a commit that is under way as well; reads none of them. */
  count(): number;
  range(options: RangeOptions): Iterable<readonly [K, R]>;
  keys(options: RangeOptions): Iterable<K>;
  /** The numbers that end the keys under a prefix of all other parts, some at a time. */
  numbers(prefix: Key, range: NumberRange): number[];
  /**
   * The same upwards, with the first column of each row, which has to be a text that mostly is that
   * of the row before.
   */
  numbersWithTexts(prefix: Key, range: PieceBounds): NumbersWithTexts;
}

export interface TableWriter<K extends Key, R extends object> extends TableReader<K, R> {
  put(key: K, row: R): void;
  remove(key: K): void;
}

/** Declares a table. `columns` must name every field of the row, in the order they are stored. */
export const table = <K extends Key, R extends object>(
  name: string,
  columns: readonly (keyof R & string)[],
  {
    defaults = {} as Partial<R>, // no field is required of it
    codecs = {},
    cache,
    feedsViews = false,
    decidesLogins = false,
    audited = [],
  }: TableOptions<K, R> = {},
): Table<K, R> => ({ name, columns, defaults, codecs, cache, feedsViews, decidesLogins, audited });

/**
 * LMDB allows keys of three bytes for each of so many characters, so no row has a key with a longer
 * text.
 */
const KEY_TEXT_LENGTH_MAX = 600;

const isTooLong = (key: Key) =>
  key.some((part) => typeof part === 'string' && part.length > KEY_TEXT_LENGTH_MAX);

const isBoundTooLong = ({ start = [], end = [] }: RangeOptions) =>
  isTooLong(start) || isTooLong(end);

/** lmdb gives the only part of a one-part key bare. The store holds only keys that put() wrote. */
const asKey = <K extends Key>(key: unknown) => (Array.isArray(key) ? key : [key]) as unknown as K;

/** The end of a range: `[…prefix, AFTER_ALL]` sorts after every key under the prefix. */
const AFTER_ALL = Buffer.from([0xff]);

/** The part of the store that holds the rows of a table. */
export type TableDatabase = Database<unknown[], KeyPart[]>;

/**
 * Opening takes a transaction, and makes one that is synced if there is none: many are opened
 * within one.
 */
export function openDatabase(env: RootDatabase, { name }: { readonly name: string }) {
  // Field names are in `columns`; nested objects are stored whole, so that no row depends on
  // another.
  const options = { name, encoding: 'msgpack' as const, useRecords: false };
  return env.openDB<unknown[], KeyPart[]>(options);
}

/**
 * Counts the writes to all tables of a store, so that two looks tell whether something was written
 * between them.
 */
export interface Writes {
  count: number;
  /** Notes what is written, where commits go through a log. */
  readonly journal?: Journal | undefined;
}

export interface TableAccess {
  /** The table is read as of this read transaction, for good. */
  readonly seenBy?: Transaction;
  /** The moment that ranges are of while the store says so. */
  readonly moment?: Moment;
  readonly writes?: Writes;
}

const mutable = (key: Key) => key as KeyPart[]; // lmdb's types know no readonly arrays; it changes none

/**
 * A table of a database. Inside a write transaction it reads and writes that transaction. With a
 * read transaction of its own it reads what that sees, whatever was written since.
 */
export function openTable<K extends Key, R extends object>(
  database: TableDatabase,
  declared: Table<K, R>,
  { seenBy, moment = {}, writes = { count: 0 } }: TableAccess = {},
): TableWriter<K, R> {
  const seen = seenBy === undefined ? {} : { transaction: seenBy };
  const asOf: Moment = seenBy === undefined ? moment : seen;
  // Most tables are never asked for numbers, and what reads them takes as long to make as the rest
  // of the table.
  let keyNumbers: ReturnType<typeof openKeyNumbers> | undefined;
  const numbers = () => {
    keyNumbers ??= openKeyNumbers(database, asOf);
    return keyNumbers;
  };
  const { toRow } = shapeOf(declared);
  const lmdbRange = (options: RangeOptions) => {
    const { start, end, isReverse, limit } = options;
    const { transaction } = asOf;
    const range: Record<string, unknown> = { reverse: isReverse === true, transaction };
    // lmdb walks from `start` to `end`; reversed, the walk begins at the upper bound.
    const first = isReverse ? end : start;
    const last = isReverse ? start : end;
    if (first !== undefined) range['start'] = first;
    if (last !== undefined) range['end'] = last;
    if (limit !== undefined) range['limit'] = limit;
    if (isReverse) {
      range['exclusiveStart'] = true;
      range['inclusiveEnd'] = true;
    }
    return range;
  };
  const underBounds = (prefix: Key): RangeOptions => ({
    start: prefix,
    end: [...prefix, AFTER_ALL] as unknown as Key, // lmdb orders binary parts after the others
  });
  return {
    get: (key) => {
      if (isTooLong(key)) return undefined;
      const values =
        seenBy === undefined ? database.get(mutable(key)) : database.get(mutable(key), seen);
      return values === undefined ? undefined : toRow(values);
    },
    has: (key) =>
      !isTooLong(key) &&
      // lmdb's own test for a key takes no transaction.
      (seenBy === undefined
        ? database.doesExist(mutable(key))
        : database.get(mutable(key), seen) !== undefined),
    leading(key, count) {
      if (isTooLong(key)) return undefined;
      if (seenBy === undefined) {
        const bytes = database.getBinaryFast(mutable(key));
        if (bytes === undefined) return undefined;
        const numbers = leadingNumbers(bytes, count);
        if (numbers !== undefined) return numbers;
      }
      const values = database.get(mutable(key), seen);
      return values?.slice(0, count) as (number | null)[] | undefined; // as whoever asks knows
    },
    // As lmdb counts them; its type says no more than that there are statistics.
    count: () => (database.getStats() as { entryCount?: number }).entryCount ?? 0,
    *range(options) {
      if (isBoundTooLong(options)) return;
      for (const { key, value } of database.getRange(lmdbRange(options))) {
        yield [asKey<K>(key), toRow(value)] as const;
      }
    },
    *keys(options) {
      if (isBoundTooLong(options)) return;
      for (const key of database.getKeys(lmdbRange(options))) yield asKey<K>(key);
    },
    numbers: (prefix, range) => (isTooLong(prefix) ? [] : numbers().read(prefix, range)),
    numbersWithTexts: (prefix, range) =>
      isTooLong(prefix) ? { numbers: [], texts: [] } : numbers().readWithTexts(prefix, range),
    under(prefix, options = {}) {
      return this.range({ ...underBounds(prefix), ...options });
    },
    keysUnder(prefix, options = {}) {
      return this.keys({ ...underBounds(prefix), ...options });
    },
    ...(writes.journal === undefined
      ? writerOf(database, declared, writes)
      : journaledWriterOf(database, declared, { writes, journal: writes.journal })),
  };
}

type RowWriter<K extends Key, R extends object> = Pick<TableWriter<K, R>, 'put' | 'remove'>;

function writerOf<K extends Key, R extends object>(
  database: TableDatabase,
  declared: Table<K, R>,
  writes: Writes,
): RowWriter<K, R> {
  const { toValues } = shapeOf(declared);
  return {
    put(key, row) {
      writes.count += 1;
      void database.put(mutable(key), toValues(row));
    },
    remove(key) {
      writes.count += 1;
      void database.remove(mutable(key));
    },
  };
}

/** Encodes each row once, for the store and for the journal. */
function journaledWriterOf<K extends Key, R extends object>(
  database: TableDatabase,
  declared: Table<K, R>,
  { writes, journal }: { readonly writes: Writes; readonly journal: Journal },
): RowWriter<K, R> {
  const { toValues } = shapeOf(declared);
  const encoder = encoderOf(database);
  return {
    put(key, row) {
      writes.count += 1;
      const values = toValues(row);
      const bytes = values === NO_VALUES ? NO_COLUMNS : encoder.encode(values);
      journal.note(declared.name, key, bytes);
      void database.put(mutable(key), encoded(bytes));
    },
    remove(key) {
      writes.count += 1;
      journal.note(declared.name, key, null);
      void database.remove(mutable(key));
    },
  };
}

/** Rows as bytes, for a cache that may have decoded the same bytes before. */
export interface StoredRows<K extends Key, R extends object> {
  /**
   * The array is overwritten by the next read of any table; its `length` says how many bytes are
   * the row's.
   */
  bytesOf(key: K): Buffer | undefined;
  rowOf(bytes: Uint8Array): R;
}

export function storedRows<K extends Key, R extends object>(
  database: TableDatabase,
  declared: Table<K, R>,
): StoredRows<K, R> {
  const { toRow } = shapeOf(declared);
  const decoder = decoderOf<unknown[]>(database);
  return {
    // lmdb's types know no readonly arrays; it changes none.
    bytesOf: (key) =>
      isTooLong(key) ? undefined : database.getBinaryFast(key as unknown as KeyPart[]),
    rowOf: (bytes) => toRow(decoder.decode(bytes)),
  };
}
