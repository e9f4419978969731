import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

export interface LatencySummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Of a histogram that counts microseconds. */
export function summary(histogram: RecordableHistogram): LatencySummary {
  if (histogram.count === 0) return { count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 };
  return {
    count: histogram.count,
    p50Ms: histogram.percentile(50) / 1000,
    p99Ms: histogram.percentile(99) / 1000,
    maxMs: histogram.max / 1000,
  };
}

export function summaryOf(microseconds: readonly number[]): LatencySummary {
  const histogram = createHistogram();
  for (const value of microseconds) histogram.record(value);
  return summary(histogram);
}

/** Histograms count whole numbers from 1. */
export function wholeMicroseconds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds * 1000));
}
