import type { Benchmark } from './benchmark.ts';
import type { Bench, Case, Measuring, Setting } from './context.ts';
import { type EncodedLatencies, merged, percentileCurve } from './latencies.ts';
import type { BenchmarkResult, Figure, UsageOfCase } from './results.ts';
import { median, ratios, spread } from './statistics.ts';
import { targetsOf } from './targets.ts';
import { isGeneratorTheLimit, type Usage, watchUsage } from './usage.ts';

/** How far a benchmark has come. */
export interface Step {
  readonly done: number;
  readonly expected: number;
  readonly doing: string;
}

interface Recorder {
  readonly bench: Bench;
  readonly result: () => BenchmarkResult;
}

/** The figures of a server in a case, one entry a repeat. */
interface Recorded {
  readonly case: Case;
  readonly server: string;
  readonly usages: Usage[];
  readonly values: Map<string, number[]>;
  readonly latencies: Map<string, EncodedLatencies[]>;
}

/** Keeps what a benchmark reports, and hands on how far it has come. */
export function createRecorder(
  { benchmark, setting, written }: Recording,
  onStep: (step: Step) => void,
): Recorder {
  const startMs = performance.now();
  const recorded = new Map<string, Recorded>();
  const notes: string[] = [];
  const faults: string[] = [];
  let step: Step = { done: 0, expected: 1, doing: '' };
  const go = (change: Partial<Step>) => {
    step = { ...step, ...change };
    onStep(step);
  };

  const measure = async <Result>(measuring: Measuring<Result, string>): Promise<Result> => {
    const { server, also = [] } = measuring;
    const own = caseOf(recorded, measuring);
    const others = also.map((one) => caseOf(recorded, { case: one, server }));
    go({ doing: `${own.case.name}, ${own.server}` });
    const finish = watchUsage(measuring.pids);
    const result = await measuring.run();
    const usage = finish();
    const figures = Object.entries(measuring.figures(result, usage));
    const latencies = Object.entries(measuring.latencies?.(result) ?? {});
    for (const one of [own, ...others]) {
      one.usages.push(usage);
      for (const [metric, value] of figures) {
        if (benchmark.metrics[metric] === undefined) throw new Error(`no metric ${metric}`);
        if (value !== undefined) listIn(one.values, metric).push(value);
      }
      for (const [name, times] of latencies) listIn(one.latencies, name).push(times);
    }
    go({ done: step.done + 1 });
    return result;
  };

  return {
    bench: {
      setting,
      measure,
      expect: (measurements) => go({ expected: Math.max(1, measurements) }),
      doing: (what) => go({ doing: what }),
      note: (sentence) => notes.push(sentence),
      fault: (sentence) => faults.push(sentence),
    },
    result: () => {
      const all = [...recorded.values()];
      const figures = figuresOf(all, benchmark);
      return {
        name: benchmark.name,
        summary: benchmark.summary,
        description: benchmark.description,
        metrics: Object.fromEntries(
          Object.entries(benchmark.metrics).map(([name, { meaning }]) => [name, meaning]),
        ),
        options: written,
        seconds: (performance.now() - startMs) / 1000,
        figures,
        usages: all.map(usageOf),
        latencies: all.flatMap(latenciesOf),
        targets: targetsOf(benchmark.targets, figures),
        notes,
        faults,
      };
    },
  };
}

interface Recording {
  readonly benchmark: Benchmark;
  readonly setting: Setting;
  /** The options, as on the command line. */
  readonly written: Readonly<Record<string, string>>;
}

function caseOf(
  recorded: Map<string, Recorded>,
  { case: named, server }: Pick<Measuring<unknown, string>, 'case' | 'server'>,
): Recorded {
  const own = typeof named === 'string' ? { name: named } : named;
  const key = JSON.stringify([own.name, server]);
  const known = recorded.get(key);
  if (known !== undefined) return known;
  const fresh = { case: own, server, usages: [], values: new Map(), latencies: new Map() };
  recorded.set(key, fresh);
  return fresh;
}

function listIn<T>(map: Map<string, T[]>, name: string): T[] {
  const list = map.get(name) ?? [];
  map.set(name, list);
  return list;
}

function figuresOf(all: readonly Recorded[], { metrics }: Benchmark): readonly Figure[] {
  return all.flatMap(({ case: own, server, values }) =>
    [...values].map(([metric, list]): Figure => {
      const { unit = '', better = 'higher' } = metrics[metric] ?? {};
      const baseline = all.find((one) => one.case.name === own.name && one.server === 'baseline');
      const baselines = server === 'baseline' ? undefined : baseline?.values.get(metric);
      return {
        case: own.name,
        ...(own.at === undefined ? {} : { at: own.at }),
        server,
        metric,
        unit,
        better,
        values: list,
        median: median(list),
        spread: spread(list),
        ...ofBaselineIn(list, baselines),
      };
    }),
  );
}

/** None where the baseline's is nothing, as of memory that did not grow. */
function ofBaselineIn(values: readonly number[], baselines: readonly number[] | undefined) {
  const ofBaseline = ratios(values, baselines ?? []);
  return ofBaseline.length > 0 && ofBaseline.every(Number.isFinite) ? { ofBaseline } : {};
}

function usageOf({ case: own, server, usages }: Recorded): UsageOfCase {
  const known = <T>(of: (usage: Usage) => T | undefined): T[] =>
    usages.map(of).filter((value) => value !== undefined);
  const serverCpuSeconds = known((usage) => usage.server?.cpuSeconds);
  const serverPeakBytes = known((usage) => usage.server?.peakBytes);
  const generatorCpuSeconds = known((usage) => usage.generator?.cpuSeconds);
  return {
    case: own.name,
    server,
    seconds: usages.map(({ seconds }) => seconds),
    ...(serverCpuSeconds.length > 0 ? { serverCpuSeconds, serverPeakBytes } : {}),
    ...(generatorCpuSeconds.length > 0 ? { generatorCpuSeconds } : {}),
    // One slow moment does not count: most of the repeats must have been so.
    isGeneratorTheLimit: usages.filter(isGeneratorTheLimit).length > usages.length / 2,
  };
}

const latenciesOf = ({ case: own, server, latencies }: Recorded) =>
  [...latencies].map(([name, list]) => {
    const all = merged(list);
    return { case: own.name, server, name, count: all.count, curve: percentileCurve(all) };
  });
