import type { Database, Key } from 'lmdb';
import * as lmdb from 'lmdb';

/**
 * Everything that this project takes from lmdb beside its documented interface is in this file: a
 * database reads keys by its method `readKey` and values by its property `decoder`, looks both up
 * for each entry of an iteration, and encodes values by its property `encoder`; an environment
 * reads through the transaction of its property `writeTxn`, where it has one; a database tells of
 * its own tree by its property `db`. They belong to no public type, so a newer version may change
 * them without notice. It is tested with these versions; `test/storage/lmdb-internals.test.ts`
 * fails for any other, and where one of the promises below no longer holds.
 */
export const LMDB_VERSIONS_TESTED = ['3.5.6'];

interface RowDecoder<Columns> {
  /** Takes the whole array, or its first `size` bytes. */
  decode(bytes: Uint8Array, size?: number): Columns;
}

/** The decoder of a database with msgpack as its encoding. lmdb's types do not say what it is. */
export const decoderOf = <Columns>(database: unknown) =>
  (database as { readonly decoder: RowDecoder<Columns> }).decoder;

interface RowEncoder {
  /** The bytes are nobody else's, and stay as they are. */
  encode(columns: readonly unknown[]): Buffer;
}

/** The encoder of a database with msgpack as its encoding. */
export const encoderOf = (database: unknown) =>
  (database as { readonly encoder: RowEncoder }).encoder;

/**
 * Reads something from a key, which is at `start` to `end` of bytes that the next key overwrites.
 */
export type KeyReader<Read> = (bytes: Uint8Array, start: number, end: number) => Read;

/**
 * Reads something from a value, which is the first `size` of bytes that the next value overwrites.
 */
export type ValueReader<Read> = (bytes: Uint8Array, size: number) => Read;

/** The same database, whose iterations give what `read` takes from each key. */
export const withKeyReader = <Value, K extends Key, Read extends Key>(
  database: Database<Value, K>,
  read: KeyReader<Read>,
): Database<Value, Read> =>
  Object.create(database, { readKey: { value: read } }) as Database<Value, Read>;

/**
 * The same database, whose iterations give what `read` takes from each value, before the next one
 * comes.
 */
export const withValueReader = <K extends Key, Read>(
  database: Database<unknown, K>,
  read: ValueReader<Read>,
): Database<Read, K> =>
  Object.create(database, {
    decoder: { value: { decode: read } },
    // Otherwise lmdb copies the bytes first.
    decoderCopies: { value: true },
  }) as Database<Read, K>;

interface Untyped {
  /** Throws for a key that LMDB does not take. */
  keyValueToBuffer(key: readonly Key[]): Buffer;
}

/** Returns how many bytes a key has in the store; throws for one that it does not take. */
export const keyBytes = (key: readonly Key[]): number =>
  (lmdb as unknown as Untyped).keyValueToBuffer(key).length;

/** The pages of a tree, by their kinds. */
export interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface OfTree {
  readonly db: { stat(): TreeStats };
}

/**
 * Tells of the tree of a database, as the read transaction that is open sees it: to be asked in the
 * turn in which `getStats` of the environment opened one. `getStats` of each database would ask
 * three times as much of the environment as of the tree.
 */
export const treeStatsOf = (database: object): TreeStats => (database as OfTree).db.stat();

interface Writing {
  readonly env: { writeTxn: object | null };
}

/**
 * Waits inside a transaction, which stays open. Meanwhile this process reads what is committed,
 * where it would read through the transaction otherwise: single rows, and ranges with a read
 * transaction of their own (the cursors of others are those of the open transaction).
 */
export async function waitInTransaction(database: object, wait: Promise<unknown>): Promise<void> {
  const { env } = database as Writing;
  const { writeTxn } = env;
  env.writeTxn = null;
  try {
    await wait;
  } finally {
    env.writeTxn = writeTxn;
  }
}
