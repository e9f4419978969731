/**
 * Events in one format, encoded at most once for each encoding, and shared by all queues that get
 * the same.
 */
export interface EncodedBatch {
  readonly firstId: number;
  readonly lastId: number;
  /** Returns the events as JSON, separated by commas. */
  json(): string;
  /** The `events` frames that hold it, in order: one, or one for each part of a joined batch. */
  textFrames(): readonly Uint8Array[];
  binaryFrames(): readonly Uint8Array[];
}

/** `full`: taken, but deliver no more until the consumer asks. `dropped`: not taken. */
export type Delivery = 'taken' | 'full' | 'dropped';

/** The parked poll (once) or the open socket (until it closes) that takes the events of a queue. */
export interface Consumer {
  /** True for a poll: its one answer ends it. */
  readonly takesOne: boolean;
  deliver(batch: EncodedBatch): Delivery;
  /** A newer consumer takes over. */
  replaced(): void;
  /** The queue was deleted, has expired or lost its log; or its owner may no longer log in. */
  ended(why: 'queue gone' | 'account gone'): void;
  /** The server stops; the client comes back after so long. */
  stopping(retryAfterMs: number): void;
}
