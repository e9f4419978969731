import { stat } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { DECLARATIONS, type Declaration, type Series, type Sources } from './declarations.ts';
import { Histogram } from './histogram.ts';

/** The metrics of a server and its process, in the text form of Prometheus. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Registers all metrics with the library, which writes them. The values stay where they are
 * recorded; each metric reads them when it is asked.
 */
export function openExposition(sources: () => Sources): Exposition {
  const registry = openRegistry();
  let current: Sources | undefined;
  for (const declaration of DECLARATIONS) {
    registry.registerMetric(handedOver(declaration, () => current ?? sources()));
  }
  return {
    contentType: registry.contentType,
    async text() {
      // All metrics of a scrape are of one moment: the library asks them before anything else runs.
      current = sources();
      const text = registry.metrics();
      current = undefined;
      return await text;
    },
  };
}

/** The registry with only the metrics of the process that the library brings. */
export function openRegistry(): Registry {
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
  return registry;
}

/**
 * Metrics of the library that are not wanted: it counts file descriptors by listing them, and the
 * others list every handle of the process to count it.
 */
const LEFT_OUT = [
  'process_open_fds',
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
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Makes a declaration what the library asks of a metric of its registry. */
function handedOver(declaration: Declaration, sources: () => Sources): Metric {
  const { name, help, type, factor } = declaration;
  const get = () => {
    const series = declaration.read(sources());
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
    values.push({ labels, value });
    return;
  }
  for (const [bound, count] of value.octaves()) {
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : rounded(bound * factor);
    values.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: count });
  }
  values.push({ metricName: `${name}_sum`, labels, value: value.sum * factor });
  values.push({ metricName: `${name}_count`, labels, value: value.count });
}

/** Returns a bound without what doubles add to it: 0.000128, not 0.00012800000000000002. */
const rounded = (bound: number) => Number(bound.toPrecision(12));
