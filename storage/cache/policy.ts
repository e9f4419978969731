/**
 * A policy says which memory answers for single rows of a table. The declaration of the table names
 * it, so that one who reads the declaration knows who answers; without a policy the store is asked
 * each time.
 *
 * - `immutable` fits rows that are written once, under keys that are used once. A reader of what is
 *   committed keeps the row that it read first; a transaction asks the store.
 * - `read-mostly` fits rows that nearly all sends or pages read, and few change. A reader of what
 *   is committed gets the row that was decoded last, while its bytes in the store are the same; a
 *   transaction gets the row that was read last, until one writes it.
 * - `write-through` fits rows that one operation writes and the next one reads. A transaction gets
 *   the row as it was read or written last; a reader of what is committed asks the store.
 */
export type CachePolicy = 'immutable' | 'read-mostly' | 'write-through';

/**
 * A table names only the policy where its rows are of the usual size, and the size of a row where
 * they are not.
 */
export type CacheDeclaration<Row> = CachePolicy | SizedCache<Row>;

export interface SizedCache<Row> {
  readonly policy: CachePolicy;
  /** The unit is that of `sizeMax`. */
  readonly sizeOf: (row: Row) => number;
  /** Rows over this size in total are forgotten, those that were read longest ago first. */
  readonly sizeMax: number;
}

/** The rows that are kept of a table whose rows are of the usual size. */
const ROWS_MAX = 16_384;

/** Rows count as one each, unless the table says what they weigh. */
export const sizedCache = <Row>(declared: CacheDeclaration<Row>): SizedCache<Row> =>
  typeof declared === 'string'
    ? { policy: declared, sizeOf: () => 1, sizeMax: ROWS_MAX }
    : declared;
