import { SAMPLE_MS, SAMPLES_KEPT } from '../domain/limits/operator.ts';
import { Histogram } from '../metrics/histogram.ts';
import { type Reading, SERIES, type Series } from './series.ts';
import type { Sample } from './wire.ts';

/** The samples of the last quarter of an hour, one a second, oldest first. */
export interface Samples {
  all(): readonly Sample[];
  /** Calls back with each further sample; returns what ends that. */
  follow(listener: (sample: Sample) => void): () => void;
  /** Takes one now: the timer does so each second. */
  take(): void;
  close(): void;
}

export interface SamplesInput {
  readonly read: () => Reading;
  /** Returns UNIX milliseconds. */
  readonly now: () => number;
}

const WIDTH = SERIES.length + 1;

/**
 * Samples what the metrics are read from. The ring is one array of doubles, so that it costs the
 * same whether anybody looks or not.
 */
export function openSamples({ read, now }: SamplesInput): Samples {
  const ring = new Float64Array(SAMPLES_KEPT * WIDTH);
  const meters = SERIES.map(meterOf);
  const listeners = new Set<(sample: Sample) => void>();
  let taken = 0;
  let lastAt: number | null = null;

  function take() {
    const at = now();
    const reading = read();
    // A clock that was set back gives no rate.
    const seconds = lastAt === null || at <= lastAt ? null : (at - lastAt) / 1_000;
    lastAt = at;
    const start = (taken % SAMPLES_KEPT) * WIDTH;
    ring[start] = at / 1_000;
    for (const [index, meter] of meters.entries())
      ring[start + 1 + index] = meter(reading, seconds);
    taken += 1;
    if (listeners.size === 0) return;
    const sample = sampleAt(start);
    for (const listener of listeners) listener(sample);
  }

  const sampleAt = (start: number): Sample =>
    Array.from(ring.subarray(start, start + WIDTH), (number, index) =>
      index === 0 ? number : shortened(number),
    );

  const timer = setInterval(take, SAMPLE_MS);
  timer.unref();
  return {
    all() {
      const kept = Math.min(taken, SAMPLES_KEPT);
      return Array.from({ length: kept }, (_, index) =>
        sampleAt(((taken - kept + index) % SAMPLES_KEPT) * WIDTH),
      );
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    take,
    close: () => clearInterval(timer),
  };
}

/** Five digits are more than a chart shows; not a number is what is not known. */
const shortened = (number: number) => (Number.isNaN(number) ? null : Number(number.toPrecision(5)));

/** Reads a series; the time since the last sample is null for the first. */
type Meter = (reading: Reading, seconds: number | null) => number;

function meterOf(series: Series): Meter {
  if ('value' in series) return (reading) => series.value(reading) ?? Number.NaN;
  if ('total' in series) {
    let before = 0;
    return (reading, seconds) => {
      const total = series.total(reading);
      const rate = seconds === null ? Number.NaN : (total - before) / seconds;
      before = total;
      return rate;
    };
  }
  const latest = new LatestTimes();
  return ({ recorders }) => latest.quantile(series.times(recorders), series.quantile);
}

/** The part that is left of a count after a second: half of all that is seen is 3 s old at most. */
const KEPT_SHARE = 0.8;
/** Fewer values than this say nothing of a second. */
const VALUES_MIN = 0.5;
const PER_MS = 0.001;

/** The values that histograms have got lately: older ones count less and less. */
class LatestTimes {
  private before: readonly Float64Array[] = [];
  /** It has the steps of those histograms, with a first bound of 1. */
  private readonly latest = new Histogram(1);

  /** Returns the quantile in seconds, as the histograms are in milliseconds; NaN for no values. */
  quantile(histograms: readonly Histogram[], share: number): number {
    const { steps } = this.latest;
    let count = 0;
    for (let step = 0; step < steps.length; step++) {
      let left = (steps[step] ?? 0) * KEPT_SHARE;
      for (const [index, histogram] of histograms.entries()) {
        left += (histogram.steps[step] ?? 0) - (this.before[index]?.[step] ?? 0);
      }
      steps[step] = left;
      count += left;
    }
    this.latest.count = count;
    this.before = histograms.map((histogram) => histogram.steps.slice());
    if (count < VALUES_MIN) return Number.NaN;
    const first = histograms[0]?.first ?? 0;
    return Math.min(TIME_MAX, this.latest.quantile(share) * first * PER_MS);
  }
}

/** The last bound of the histograms in seconds; beyond it they only count. */
const TIME_MAX = 8.4;
