import type { Key } from '../key.ts';

/**
 * The rows that a commit put and removed, by table, as LMDB stores them; null is a removed row. Of
 * several writes of one key the last one counts.
 */
export type WriteSet = readonly (readonly [table: string, rows: readonly WrittenRow[]])[];

export type WrittenRow = readonly [key: Key, row: Uint8Array | null];

/** The record of a shard's log up to which a store has applied it. */
export interface Place {
  /** The number of the record in the log of its shard. */
  readonly sequence: number;
  /** The random id of that record, which tells it from another one with the same number. */
  readonly id: string;
  /** The epoch of the owner who wrote it. */
  readonly epoch: number;
}

/** A commit of one realm, as it goes into the log of its shard. */
export interface LoggedCommit {
  readonly writes: WriteSet;
  /** The id of the realm's newest event with this commit. */
  readonly head: number;
  /** UNIX milliseconds at which something is due that the commit stored; infinite for never. */
  readonly wakeAt: number;
}

/** The log that the commits of a store are written to before they are applied to it. */
export interface CommitLog {
  /**
   * Resolves once the log has the commit. Rejects when it was not stored, or it is not known
   * whether it was: then the realm must answer nobody, and take no more operations.
   */
  append(commit: LoggedCommit): Promise<Place>;
}
