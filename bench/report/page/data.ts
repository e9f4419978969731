// The report puts these data into the page, and the page's script draws them.

export interface Plots {
  readonly benchmarks: readonly BenchmarkPlots[];
}

export interface BenchmarkPlots {
  readonly name: string;
  readonly cases: readonly CasePlots[];
  readonly curves: readonly CurvePlot[];
}

/** A case of which somebody chooses one, with everything that is known of it. */
export interface CasePlots {
  readonly name: string;
  readonly latencies: readonly LatencyLine[];
  readonly overTime: readonly TimeLines[];
}

export interface LatencyLine {
  readonly server: string;
  readonly name: string;
  readonly points: readonly (readonly [percent: number, ms: number])[];
}

/** The repeats of one server, one after the other, with a gap between two of them. */
export interface TimeLines {
  readonly server: string;
  readonly seconds: readonly number[];
  readonly serverCores: readonly (number | null)[];
  readonly generatorCores: readonly (number | null)[];
  readonly serverMib: readonly (number | null)[];
  readonly loadSeconds: readonly number[];
  readonly perSecond: readonly (number | null)[];
  readonly p50Ms: readonly (number | null)[];
  readonly maxMs: readonly (number | null)[];
}

/** A figure against an axis, a line for each server and curve. */
export interface CurvePlot {
  readonly metric: string;
  readonly unit: string;
  readonly axis: string;
  readonly lines: readonly {
    readonly server: string;
    readonly curve: string;
    readonly points: readonly (readonly [at: number, value: number])[];
  }[];
}
