import { Histogram } from './histogram.ts';

/** How late the event loop was. */
export interface LoopDelay {
  /** All delays since the start, in milliseconds. */
  readonly delayMs: Histogram;
  /** The 99th percentile of the last half minute, in milliseconds. */
  p99Ms(): number;
  maxMs(): number;
  close(): void;
}

const FIRST_MS = 0.128;
const RESOLUTION_MS = 20;
const WINDOW_MS = 30_000;
/** The 99th percentile of fewer samples would be the worst of them. */
const SAMPLES_MIN = 200;

/**
 * Watches the event loop by a timer that looks at how late it is itself. The library under Node has
 * one as well, but tells no counts by bounds, from which Prometheus could add up several scrapes.
 */
export function openLoopDelay(): LoopDelay {
  const delayMs = new Histogram(FIRST_MS);
  let window = new Histogram(FIRST_MS);
  let former = { p99: 0, max: 0 };
  let max = 0;
  let dueAt = performance.now() + RESOLUTION_MS;
  let windowEndsAt = performance.now() + WINDOW_MS;

  const timer = setInterval(() => {
    const now = performance.now();
    const late = Math.max(0, now - dueAt);
    dueAt = now + RESOLUTION_MS;
    if (now >= windowEndsAt) {
      former = { p99: window.quantile(P99), max };
      windowEndsAt = now + WINDOW_MS;
      window = new Histogram(FIRST_MS);
      max = 0;
    }
    delayMs.record(late);
    window.record(late);
    max = Math.max(max, late);
  }, RESOLUTION_MS);
  timer.unref();

  return {
    delayMs,
    p99Ms: () => (window.count < SAMPLES_MIN ? former.p99 : window.quantile(P99)),
    maxMs: () => Math.max(former.max, max),
    close: () => clearInterval(timer),
  };
}

const P99 = 0.99;
