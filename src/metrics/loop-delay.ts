import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop was of late. */
export interface LoopDelay {
  /** The 99th percentile of the last half minute, in milliseconds. */
  p99Ms(): number;
  maxMs(): number;
  close(): void;
}

const RESOLUTION_MS = 20;
const WINDOW_MS = 30_000;
/** The 99th percentile of fewer samples would be the worst of them. */
const SAMPLES_MIN = 200;

/** Watches the event loop by a timer of the library under Node, which costs no turn of ours. */
export function openLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let former = { p99: 0, max: 0 };
  const window = setInterval(() => {
    former = { p99: p99Of(histogram), max: maxOf(histogram) };
    histogram.reset();
  }, WINDOW_MS);
  window.unref();
  return {
    p99Ms: () => (Number(histogram.count) < SAMPLES_MIN ? former.p99 : p99Of(histogram)),
    maxMs: () => Math.max(former.max, maxOf(histogram)),
    close() {
      clearInterval(window);
      histogram.disable();
    },
  };
}

const maxOf = (histogram: IntervalHistogram) =>
  Number(histogram.count) === 0 ? 0 : Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);

/** The timer is due every 20 ms: only what it is late by is a delay. */
const p99Of = (histogram: IntervalHistogram) =>
  Number(histogram.count) === 0 ? 0 : Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS);
