/** The actors' time: their delays and `now` come from one object, so that tests move both. */
export interface Clock {
  /** UNIX milliseconds. */
  now(): number;
  setTimeout(callback: (...args: unknown[]) => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout), // it came from setTimeout above
};

/** Returns milliseconds by a clock that all processes of a machine share, and nobody sets. */
export function momentMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
