/**
 * A policy says which memory answers for single rows of a table. The declaration of the table names it, so that one who reads
 * the declaration knows who answers; without a policy the store is asked each time.
 *
 * | policy         | fits rows that                             | a transaction reads               | a reader of what is committed reads   |
 * | -------------- | ------------------------------------------ | --------------------------------- | ------------------------------------- |
 * | `immutable`    | are written once, under keys used once     | the store                         | the row it read first                 |
 * | `read-mostly`  | nearly all sends or pages read, few change | the row it read, until it changes | the row it decoded, while its bytes   |
 * |                |                                            |                                   | are the same                          |
 * | `write-through`| the next operation reads as one wrote them | the row as it was read or written | the store                             |
 */
export type CachePolicy = 'immutable' | 'read-mostly' | 'write-through';

/** A table names only the policy where its rows are of the usual size, and the size of a row where they are not. */
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
