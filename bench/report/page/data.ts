// The report puts these data into the page, and the page's script draws them.

export interface Plots {
  readonly benchmarks: readonly BenchmarkPlots[];
}

export interface BenchmarkPlots {
  readonly name: string;
  readonly cases: readonly CasePlots[];
  readonly curves: readonly CurvePlot[];
}

/** A case of which somebody chooses one. */
export interface CasePlots {
  readonly name: string;
  readonly latencies: readonly LatencyLine[];
}

export interface LatencyLine {
  readonly server: string;
  readonly name: string;
  readonly points: readonly (readonly [percent: number, ms: number])[];
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
