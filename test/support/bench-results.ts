import type { Figure, Results } from '../../bench/suite/results.ts';
import { median, ratios, spread } from '../../bench/suite/statistics.ts';

/** The parts of a figure that tests of the benchmarks give. */
interface FigureOf {
  readonly case: string;
  readonly server?: string;
  readonly metric?: string;
  readonly values: readonly number[];
  readonly baselines?: readonly number[];
}

export function figureOf({ values, baselines, ...named }: FigureOf): Figure {
  return {
    server: 'confab',
    metric: 'sends per second',
    unit: '/s',
    better: 'higher',
    ...named,
    values,
    median: median(values),
    spread: spread(values),
    ...(baselines === undefined ? {} : { ofBaseline: ratios(values, baselines) }),
  };
}

/** Results of one benchmark, `send`, with these figures. */
export function resultsOf(figures: readonly Figure[], change: Partial<Results> = {}): Results {
  return {
    version: 2,
    startedAt: '2026-11-21T10:00:00.000Z',
    finishedAt: '2026-11-21T10:09:30.000Z',
    commit: 'abcdef123456',
    isChanged: false,
    isQuick: false,
    repeats: 3,
    url: null,
    machine: {
      cpu: 'A Processor',
      cores: 2,
      memoryBytes: 8 * 1024 ** 3,
      kernel: '6.1.0',
      node: 'v20.20.2',
      fileSystem: 'ext4',
      loadBefore: 0.1,
    },
    benchmarks: [
      {
        name: 'send',
        summary: 'durable sends',
        description: 'Messages to one channel.',
        metrics: { 'sends per second': 'Messages that were answered.' },
        options: { seconds: '1' },
        seconds: 60,
        figures,
        usages: figures.map((figure) => ({
          case: figure.case,
          server: figure.server,
          seconds: [1, 1, 1],
          serverCpuSeconds: [0.9, 0.8, 0.9],
          serverPeakBytes: [150e6, 151e6, 152e6],
          generatorCpuSeconds: [0.4, 0.4, 0.4],
          isGeneratorTheLimit: false,
        })),
        latencies: [
          {
            case: figures[0]?.case ?? 'none',
            server: 'confab',
            name: 'reply',
            count: 1000,
            curve: [
              { percent: 50, ms: 1 },
              { percent: 99, ms: 5 },
            ],
          },
        ],
        targets: [],
        notes: [],
        faults: [],
      },
    ],
    ...change,
  };
}
