import type { BenchmarkResult, Figure } from '../suite/results.ts';
import { grouped } from '../suite/statistics.ts';
import type { CasePlots, CurvePlot, Plots } from './page/data.ts';

export const plotsOf = (benchmarks: readonly BenchmarkResult[]): Plots => ({
  benchmarks: benchmarks.map((result) => ({
    name: result.name,
    cases: casesOf(result),
    curves: curvesOf(result),
  })),
});

/** The latencies of each case that has some. */
const casesOf = ({ latencies }: BenchmarkResult): readonly CasePlots[] =>
  grouped(latencies, (one) => one.case).map((own) => ({
    name: own[0]?.case ?? '',
    latencies: own.map(({ server, name, curve }) => ({
      server,
      name,
      points: curve.map(({ percent, ms }) => [percent, ms] as const),
    })),
  }));

/** A point alone is no curve. */
const POINTS_MIN = 2;

function curvesOf({ figures }: BenchmarkResult): readonly CurvePlot[] {
  const placed = figures.flatMap(({ at, ...figure }) => (at === undefined ? [] : [{ at, figure }]));
  const plots = grouped(placed, ({ at, figure }) => JSON.stringify([figure.metric, at.axis]));
  return plots.flatMap((own) => {
    const curves = grouped(own, ({ at }) => at.curve);
    const parts = Array.from({ length: Math.ceil(curves.length / CURVES_MAX) }, (_, part) =>
      curves.slice(part * CURVES_MAX, (part + 1) * CURVES_MAX).flat(),
    );
    return parts.flatMap((part) => curvePlot(part) ?? []);
  });
}

/** More are not told apart: each is drawn with dashes of its own. */
const CURVES_MAX = 4;

function curvePlot(own: readonly Placed[]): CurvePlot | undefined {
  const lines = grouped(own, ({ at, figure }) => JSON.stringify([figure.server, at.curve]));
  const drawn = lines.filter(({ length }) => length >= POINTS_MIN);
  const [first] = own;
  if (first === undefined || drawn.length === 0) return undefined;
  const { metric, unit } = first.figure;
  return { metric, unit, axis: first.at.axis, lines: drawn.map(lineOf) };
}

interface Placed {
  readonly at: NonNullable<Figure['at']>;
  readonly figure: Omit<Figure, 'at'>;
}

function lineOf(points: readonly Placed[]): CurvePlot['lines'][number] {
  const sorted = points.toSorted((one, other) => one.at.value - other.at.value);
  return {
    server: points[0]?.figure.server ?? '',
    curve: points[0]?.at.curve ?? '',
    points: sorted.map(({ at, figure }) => [at.value, figure.median] as const),
  };
}
