import type { Bench, Context } from './context.ts';
import { type Chosen, type Options, type Values, valuesOf } from './options.ts';

/**
 * A benchmark of the suite: what it measures, what its figures mean and shall reach, and how it is
 * run.
 */
export interface Benchmark {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** A few sentences for readers of the report. */
  readonly description: string;
  readonly options: Options;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly targets: readonly Target[];
  /** True if it can be run against a server elsewhere; otherwise the reason. */
  readonly elsewhere: true | string;
  /** About how long it takes with these options, for the time that is left. */
  readonly seconds: (written: Chosen, repeats: number) => number;
  readonly run: (bench: Bench, written: Chosen) => Promise<void>;
}

interface Metric {
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly meaning: string;
}

/** Figures of which a lower one is better. */
export const lower = (unit: string, meaning: string): Metric => ({
  unit,
  better: 'lower',
  meaning,
});

export const higher = (unit: string, meaning: string): Metric => ({
  unit,
  better: 'higher',
  meaning,
});

/** Stands behind a metric of which half of the times are within. */
export const WITHIN_99 = lower('ms', 'The same, of which 99 in 100 are within.');

/** A figure shall reach its target in every case whose name matches. */
export interface Target {
  readonly name: string;
  readonly metric: string;
  readonly case: RegExp;
  /**
   * The figure is compared with another server in the same case, or with the same server in another
   * case.
   */
  readonly against?: { readonly server: string } | { readonly case: string };
  /** The comparison is a ratio by default. Without `against` the figure itself counts. */
  readonly by?: 'ratio' | 'difference';
  readonly atLeast?: number;
  readonly atMost?: number;
}

interface Declared<Own extends Options, Names extends string>
  extends Omit<Benchmark, 'options' | 'metrics' | 'targets' | 'seconds' | 'run'> {
  readonly options: Own;
  readonly metrics: Readonly<Record<Names, Metric>>;
  readonly targets: readonly (Target & { readonly metric: NoInfer<Names> })[];
  readonly seconds: (options: Values<Own>, repeats: number) => number;
  readonly run: (context: Context<Values<Own>, NoInfer<Names>>) => Promise<void>;
}

/** Holds what is run to the options and the metrics that are declared. */
export function benchmark<const Own extends Options, Names extends string>(
  declared: Declared<Own, Names>,
): Benchmark {
  return {
    ...declared,
    seconds: (written, repeats) => declared.seconds(valuesOf(declared.options, written), repeats),
    run: (bench, written) =>
      declared.run({ ...bench, options: valuesOf(declared.options, written) }),
  };
}
