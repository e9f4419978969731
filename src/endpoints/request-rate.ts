export interface RequestRateInput {
  readonly perMinute: number;
  /** Of names counted at once, in each of two generations. */
  readonly namesMax: number;
}

/** What is left to a name, and when. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX seconds when the whole limit is there again. */
  readonly resetAt: number;
  /** Until the next request is answered; 0: this one is. */
  readonly retryAfterMs: number;
}

export interface RequestRate<Name extends string | number = string> {
  /** Takes one request from what is left to a name; where nothing is left, nothing is taken. */
  take(name: Name, now: number): Allowance;
  /** Names held in memory. */
  size(): number;
}

const WINDOW_MS = 60_000;

/**
 * A bucket of requests for each name, which holds those of a minute and fills up evenly. It is one number: the time at which
 * the bucket is full again (the "theoretical arrival time" of GCRA). Times are counted in units of which one request takes
 * `WINDOW_MS` and a millisecond gives `perMinute` back, so that every step is a whole number and nothing is rounded.
 *
 * After a minute without a request a bucket is full, which is what a name has that nobody knows. So names are held in two
 * generations: whoever asks is moved to the younger one, and after a minute the older one is dropped as a whole.
 */
export function openRequestRate<Name extends string | number = string>({
  perMinute,
  namesMax,
}: RequestRateInput): RequestRate<Name> {
  const capacity = perMinute * WINDOW_MS;
  /** When they are full again, in units since `start`. */
  let young = new Map<Name, number>();
  let old = new Map<Name, number>();
  /** Of the first request: units are exact for years after it. */
  let start: number | undefined;
  let youngSince = 0;

  function turnOver(now: number) {
    const isOver = now - youngSince >= WINDOW_MS || now < youngSince;
    // Where there are too many, those are forgiven who have been quiet the longest.
    if (!isOver && young.size < namesMax) return;
    old = now - youngSince >= 2 * WINDOW_MS ? new Map() : young;
    young = new Map();
    youngSince = now;
  }

  return {
    take(name, now) {
      start ??= now;
      turnOver(now);
      const at = (now - start) * perMinute;
      const fullAt = young.get(name) ?? old.get(name) ?? at;
      // A clock that was set back must shut nobody out for as long as it was ahead.
      const missing = Math.min(Math.max(fullAt - at, 0), capacity);
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
    size: () => young.size + old.size,
  };
}
