import type { BenchmarkResult, Figure, Series } from '../suite/results.ts';
import { serversIn } from '../suite/servers.ts';
import { grouped } from '../suite/statistics.ts';
import type { CasePlots, CurvePlot, Plots, TimeLines } from './page/data.ts';

export function plotsOf(benchmarks: readonly BenchmarkResult[], series: readonly Series[]): Plots {
  return {
    benchmarks: benchmarks.map((result) => ({
      name: result.name,
      cases: casesOf(
        result,
        series.filter(({ benchmark }) => benchmark === result.name),
      ),
      curves: curvesOf(result),
    })),
  };
}

function casesOf(result: BenchmarkResult, series: readonly Series[]): readonly CasePlots[] {
  const names = [...new Set(result.usages.map((usage) => usage.case))];
  return names.map((name) => {
    const own = series.filter((one) => one.case === name);
    const servers = serversIn(own);
    return {
      name,
      latencies: result.latencies
        .filter((one) => one.case === name)
        .map(({ server, name: what, curve }) => ({
          server,
          name: what,
          points: curve.map(({ percent, ms }) => [percent, ms] as const),
        })),
      overTime: servers.map((server) => timeLines(server, own)),
    };
  });
}

/** The repeats one after the other, with a gap behind each, where lines are broken. */
function timeLines(server: string, all: readonly Series[]): TimeLines {
  const samples: (Series['samples'][number] | Gap)[] = [];
  const load: (Series['load'][number] | Gap)[] = [];
  let startSeconds = 0;
  for (const one of all.filter((series) => series.server === server)) {
    const later = <T extends Gap>(point: T): T => ({
      ...point,
      seconds: startSeconds + point.seconds,
    });
    samples.push(...one.samples.map(later));
    load.push(...one.load.map(later));
    const end = Math.max(samples.at(-1)?.seconds ?? 0, load.at(-1)?.seconds ?? 0);
    samples.push({ seconds: end + GAP_SECONDS / 2 });
    load.push({ seconds: end + GAP_SECONDS / 2 });
    startSeconds = end + GAP_SECONDS;
  }
  return {
    server,
    seconds: samples.map(({ seconds }) => seconds),
    serverCores: samples.map((point) => ('serverCores' in point ? point.serverCores : null)),
    generatorCores: samples.map((point) => ('serverCores' in point ? point.generatorCores : null)),
    serverMib: samples.map((point) => ('serverCores' in point ? point.serverMib : null)),
    loadSeconds: load.map(({ seconds }) => seconds),
    perSecond: load.map((point) => ('perSecond' in point ? point.perSecond : null)),
    p50Ms: load.map((point) => ('perSecond' in point ? point.p50Ms : null)),
    maxMs: load.map((point) => ('perSecond' in point ? point.maxMs : null)),
  };
}

interface Gap {
  readonly seconds: number;
}

const GAP_SECONDS = 0.5;

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
