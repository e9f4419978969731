import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

/**
 * Counts times in microseconds, to three digits, in memory that does not grow with their number.
 */
interface Latencies {
  readonly record: (milliseconds: number) => void;
  /** For another process. */
  readonly encoded: () => EncodedLatencies;
}

export interface EncodedLatencies {
  readonly count: number;
  readonly histogram: string;
}

/** A longer time counts as this: no run waits so long. */
const MICROSECONDS_MAX = 600_000_000;

export function newLatencies(): Latencies {
  const histogram = newHistogram();
  return {
    record: (milliseconds) =>
      histogram.recordValue(
        Math.min(MICROSECONDS_MAX, Math.max(1, Math.round(milliseconds * 1000))),
      ),
    encoded: () => ({
      count: histogram.totalCount,
      histogram: encodeIntoCompressedBase64(histogram),
    }),
  };
}

const newHistogram = () =>
  build({ highestTrackableValue: MICROSECONDS_MAX, autoResize: false }) satisfies Histogram;

export interface LatencySummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function summaryOf(encoded: EncodedLatencies): LatencySummary {
  const [p50Ms = 0, p99Ms = 0, maxMs = 0] = at(encoded, [50, 99, 100]);
  return { count: encoded.count, p50Ms, p99Ms, maxMs };
}

/** The times in milliseconds that so many percent are within. */
export function at(encoded: EncodedLatencies, percentiles: readonly number[]): readonly number[] {
  if (encoded.count === 0) return percentiles.map(() => 0);
  const histogram = decodeFromCompressedBase64(encoded.histogram);
  return percentiles.map((percent) => millisecondsAt(histogram, percent));
}

const millisecondsAt = (histogram: Histogram, percent: number) =>
  (percent === 100 ? histogram.maxValue : histogram.getValueAtPercentile(percent)) / 1000;

/** All of them as one. */
export function merged(list: readonly EncodedLatencies[]): EncodedLatencies {
  const sum = newHistogram();
  for (const { count, histogram } of list) {
    if (count > 0) sum.add(decodeFromCompressedBase64(histogram));
  }
  return { count: sum.totalCount, histogram: encodeIntoCompressedBase64(sum) };
}

/** A point of the curve of percentiles: `percent` of all took no longer than `ms`. */
interface PercentilePoint {
  readonly percent: number;
  readonly ms: number;
}

const PERCENTS = [0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.75, 99.9, 99.95, 99.99, 99.999];

/**
 * Up to where there are enough of them to say it; the last is the longest of all, at its own rank.
 */
export function percentileCurve(encoded: EncodedLatencies): readonly PercentilePoint[] {
  const { count } = encoded;
  if (count === 0) return [];
  const told = PERCENTS.filter((percent) => count * (1 - percent / 100) >= 1);
  const points = at(encoded, told).map((ms, index) => ({ percent: told[index] ?? 0, ms }));
  const [longest = 0] = at(encoded, [100]);
  return [...points, { percent: 100 * (1 - 0.5 / count), ms: longest }];
}
