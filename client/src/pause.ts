/** Resolves after `ms`, or as soon as `signal` is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_MS));
    signal?.addEventListener('abort', done);
  });
}

/** Resolves when `signal` is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Returns the pause after so many failures: at random below a bound that doubles, so that clients
 * that lost their server together do not come back together.
 */
export const backoff = (
  failures: number,
  { firstMs, maxMs, random }: { firstMs: number; maxMs: number; random: () => number },
): number => random() * Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
