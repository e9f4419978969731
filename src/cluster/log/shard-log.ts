/** A record, as the log of a shard has stored it. */
export interface StoredRecord {
  /** The number of the record in the log: 1 is the first one, and none is left out. */
  readonly sequence: number;
  readonly id: string;
  readonly epoch: number;
  readonly body: Uint8Array;
}

export interface NewRecord {
  /** The number of the last record that the writer has seen; 0 if it has seen none. */
  readonly expected: number;
  /** 64 random bits: a repeat with the same id is stored once. */
  readonly id: string;
  readonly epoch: number;
  readonly body: Uint8Array;
}

/** A reader that follows the log. */
export interface Tail {
  /**
   * Tells the reader that the log has a record of this number, as the owner says: if the record
   * itself was lost on its way, the reader then fetches it at once.
   */
  noteLast(sequence: number): void;
  /** Resolves when the reader has stopped, and nothing more is handed on. */
  stop(): Promise<void>;
}

export interface TailInput {
  /** The number of the first record that is handed on. */
  readonly from: number;
  /** Takes the records in order and without gaps; the next one waits until it has resolved. */
  readonly onRecord: (record: StoredRecord) => Promise<void> | void;
  /**
   * The log no longer has a record that is next, or has another one in place of one that was
   * handed on; or `onRecord` has failed. Nothing more is handed on.
   */
  readonly onBroken: (error: Error) => void;
}

/** The log of a shard, which also is the lock of its owner. */
export interface ShardLog {
  /**
   * Returns the number of the last record; 0 if there is none. A server that was cut off may for a
   * while say an older number than there is: only an append decides.
   */
  last(): Promise<number>;
  /** Returns the number of the first record that the log has, or will have. */
  first(): Promise<number>;
  /** Returns a record; undefined if the log does not have it, or no longer. */
  record(sequence: number): Promise<StoredRecord | undefined>;
  /**
   * Stores a record as number `expected + 1`, if that is the next number of the log. Resolves with
   * `refused` if it is not, or if the log knows the id from another place. An append whose outcome
   * is not known is repeated with the same id; it rejects after 12 seconds, and then it is not
   * known whether the record is stored.
   */
  append(record: NewRecord): Promise<'stored' | 'refused'>;
  /** Hands on all records from a number on: those that are stored, and then those that come. */
  tail(input: TailInput): Tail;
  /** Forgets the records before this number, as snapshots of all stores hold them. */
  forgetBefore(sequence: number): Promise<void>;
}
