/**
 * A run of events in one form, encoded at most once per encoding and shared by every queue that
 * gets it.
 */
export interface EventRun {
  readonly firstId: number;
  readonly lastId: number;
  /** Returns the events as JSON, separated by commas. */
  json(): string;
  /**
   * Returns the run as `events` frames, in order: one, or one for each of the runs that it was
   * joined from.
   */
  textFrames(): readonly Uint8Array[];
  binaryFrames(): readonly Uint8Array[];
}

/** `full`: taken, but the consumer gets no more until it asks. `dropped`: not taken. */
export type Delivery = 'taken' | 'full' | 'dropped';

/** The consumer of a queue's events: a parked poll (once) or an open socket (until it is gone). */
export interface Consumer {
  readonly takesOne: boolean;
  deliver(run: EventRun): Delivery;
  /** Called when a newer consumer takes over. */
  replaced(): void;
  /**
   * Called when the queue has ended (deleted, expired, or its log is gone), or its owner may not
   * log in any more.
   */
  ended(why: 'queue gone' | 'account gone'): void;
  /** Called when the server stops; the client should come back after this time. */
  stopping(retryAfterMs: number): void;
}
