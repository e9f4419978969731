import { stat } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { type Declaration, PER_MS, type Series, type Sources } from './declaration.ts';
import { DECLARATIONS } from './declarations.ts';
import { Histogram } from './histogram.ts';
import type { LoopDelay } from './loop-delay.ts';

/** The metrics of a server and its process, in the text form of Prometheus. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Registers all metrics with the library, which writes them. The values stay where they are
 * recorded; each metric reads them when it is asked. `counted` resolves when other processes have
 * told what they counted.
 */
export function openExposition(
  sources: () => Sources,
  loopDelay: LoopDelay,
  counted?: () => Promise<void>,
): Exposition {
  const registry = openRegistry(loopDelay);
  let current: Sources | undefined;
  for (const declaration of DECLARATIONS) {
    const read = () => declaration.read(current ?? sources());
    registry.registerMetric(handedOver({ ...declaration, read }));
  }
  return {
    contentType: registry.contentType,
    async text() {
      await counted?.();
      // All metrics of a scrape are of one moment: the library asks them before anything else runs.
      current = sources();
      const text = registry.metrics();
      current = undefined;
      return await text;
    },
  };
}

/** The registry with only the metrics of the process that the library brings. */
export function openRegistry({ delayMs, maxMs }: Pick<LoopDelay, 'delayMs' | 'maxMs'>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  new Gauge({
    name: 'process_open_fds',
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      // Linux has counted them; the library would list them all, which stops everything else.
      const counted = await stat('/proc/self/fd').catch(() => null);
      if (counted !== null) this.set(counted.size);
    },
  });
  new Gauge({
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'The longest that the event loop was late in the last half minute.',
    registers: [registry],
    collect() {
      this.set(maxMs() / 1_000);
    },
  });
  const delay = [{ labels: {}, value: delayMs }];
  registry.registerMetric(handedOver({ ...LOOP_DELAY, read: () => delay }));
  return registry;
}

/** The delay of the event loop, as the process has it and not one of its servers. */
const LOOP_DELAY = {
  name: 'nodejs_eventloop_delay_seconds',
  help: 'How late the event loop came to a timer that is due each 20 ms.',
  type: 'histogram',
  factor: PER_MS,
} as const;

/**
 * Metrics of the library that are not wanted: it counts file descriptors by listing them, and
 * handles likewise; and its metrics of the event loop take 0.3 ms, as they read a histogram of
 * their own five times and empty it.
 */
const LEFT_OUT = [
  'process_open_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
];

/** A value as the library writes it. */
interface Written {
  readonly metricName?: string;
  /** The library remembers how it has written them: that is most of what a scrape costs. */
  readonly sharedLabels: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string | number>>;

/** Everything that the library asks of a metric of its registry. */
interface HandedOver extends Pick<Declaration, 'name' | 'help' | 'type' | 'factor'> {
  readonly read: () => readonly Series[];
}

function handedOver({ name, help, type, factor, read }: HandedOver): Metric {
  const get = () => {
    const series = read();
    const values: Written[] = [];
    for (const one of series) addTo(values, one, { name, factor });
    return { name, help, type, values, aggregator: 'sum' };
  };
  // The registry only ever reads these; its type names classes that keep values of their own.
  return { name, help, type, get, reset: () => undefined } as unknown as Metric;
}

function addTo(
  values: Written[],
  { labels, value }: Series,
  { name, factor }: Pick<Declaration, 'name' | 'factor'>,
) {
  if (!(value instanceof Histogram)) {
    values.push({ sharedLabels: labels, value });
    return;
  }
  const octaves = value.octaves();
  const withBounds = boundsOf(labels, octaves, factor);
  for (const [index, [, count]] of octaves.entries()) {
    const sharedLabels = withBounds[index] ?? labels;
    values.push({ metricName: `${name}_bucket`, sharedLabels, value: count });
  }
  values.push({ metricName: `${name}_sum`, sharedLabels: labels, value: value.sum * factor });
  values.push({ metricName: `${name}_count`, sharedLabels: labels, value: value.count });
}

const bounds = new Map<number, WeakMap<Labels, readonly Labels[]>>();

/** Returns labels with each bound, the same objects for the same labels. */
function boundsOf(
  labels: Labels,
  octaves: ReturnType<Histogram['octaves']>,
  factor: number,
): readonly Labels[] {
  const ofFactor = bounds.get(factor) ?? new WeakMap<Labels, readonly Labels[]>();
  bounds.set(factor, ofFactor);
  const known = ofFactor.get(labels);
  if (known !== undefined) return known;
  const made = octaves.map(([bound]) => ({
    ...labels,
    le: bound === Number.POSITIVE_INFINITY ? '+Inf' : rounded(bound * factor),
  }));
  ofFactor.set(labels, made);
  return made;
}

/** Returns a bound without what doubles add to it: 0.000128, not 0.00012800000000000002. */
const rounded = (bound: number) => Number(bound.toPrecision(12));
