/** A run of events in one form, encoded at most once per encoding and shared by every queue that wants it. */
export interface EventRun {
  readonly firstId: number;
  readonly lastId: number;
  /** The events as JSON, separated by commas. */
  json(): string;
  /** `events` frames that are all of it, in order: one, or one for each of several runs that it was made of. */
  textFrames(): readonly Uint8Array[];
  binaryFrames(): readonly Uint8Array[];
}

/** `full`: taken, but feed it no more until it asks. `dropped`: not taken. */
export type Delivery = 'taken' | 'full' | 'dropped';

/** Who takes the events of a queue: a parked poll (once) or an open socket (until it is gone). */
export interface Consumer {
  readonly takesOne: boolean;
  deliver(run: EventRun): Delivery;
  /** A newer consumer takes over. */
  replaced(): void;
  /** The queue has ended: deleted, expired, or its log is gone; or its owner may not log in any more. */
  ended(why: 'queue gone' | 'account gone'): void;
  /** The server stops: come back after so long. */
  stopping(retryAfterMs: number): void;
}
