export interface RequestRateInput {
  readonly perMinute: number;
  /** The number of names counted at once, in each of two generations. */
  readonly namesMax: number;
}

/** The rest of a name's limit, and when there is more of it. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX seconds when the whole limit is available again. */
  readonly resetAt: number;
  /** Milliseconds until the next request is allowed; 0 if this one is. */
  readonly retryAfterMs: number;
}

export interface RequestRate<Name extends string | number = string> {
  /** Takes one request from the rest of a name's limit; takes nothing if it is spent. */
  take(name: Name, now: number): Quota;
  /** Notes requests of a name that another process has let through. */
  note(name: Name, count: number, now: number): void;
  /** Returns the number of names in memory. */
  size(): number;
}

const WINDOW_MS = 60_000;

/**
 * Opens buckets of requests, one for each name, which hold those of a minute and fill up evenly. A
 * bucket is one number: the time at which it is full again (the "theoretical arrival time" of
 * GCRA). Times are counted in units of which one request takes `WINDOW_MS` and a millisecond gives
 * `perMinute` back, so that every step is a whole number and nothing is rounded.
 *
 * After a minute without a request a bucket is full, like that of an unknown name. So names are
 * held in two generations: each request moves its name to the younger one, and after a minute the
 * older one is dropped as a whole.
 */
export function openRequestRate<Name extends string | number = string>({
  perMinute,
  namesMax,
}: RequestRateInput): RequestRate<Name> {
  const capacity = perMinute * WINDOW_MS;
  /** When the buckets are full again, in units since `start`. */
  let young = new Map<Name, number>();
  let old = new Map<Name, number>();
  /** Time of the first request: units are exact for years after it. */
  let start: number | undefined;
  let youngSince = 0;

  function turnOver(now: number) {
    const isOver = now - youngSince >= WINDOW_MS || now < youngSince;
    // If there are too many names, those that have been quiet the longest are forgotten.
    if (!isOver && young.size < namesMax) return;
    old = now - youngSince >= 2 * WINDOW_MS ? new Map() : young;
    young = new Map();
    youngSince = now;
  }

  /** Returns the time in units, and what is missing of a bucket. */
  function look(name: Name, now: number) {
    start ??= now;
    turnOver(now);
    const at = (now - start) * perMinute;
    const fullAt = young.get(name) ?? old.get(name) ?? at;
    // A clock that was set back must not shut a name out for as long as it was ahead.
    return { at, missing: Math.min(Math.max(fullAt - at, 0), capacity) };
  }

  return {
    take(name, now) {
      const { at, missing } = look(name, now);
      const isTaken = missing + WINDOW_MS <= capacity;
      const missingNow = isTaken ? missing + WINDOW_MS : missing;
      young.set(name, at + missingNow);
      return {
        limit: perMinute,
        remaining: Math.floor((capacity - missingNow) / WINDOW_MS),
        resetAt: Math.ceil((now + missingNow / perMinute) / 1000),
        retryAfterMs: isTaken ? 0 : Math.ceil((missing + WINDOW_MS - capacity) / perMinute),
      };
    },
    note(name, count, now) {
      const { at, missing } = look(name, now);
      young.set(name, at + Math.min(missing + count * WINDOW_MS, capacity));
    },
    size: () => young.size + old.size,
  };
}
