import type { Figure, Results } from './results.ts';
import { median, type Verdict, verdict } from './statistics.ts';

/** A figure of confab in two runs. */
export interface ComparedFigure {
  readonly benchmark: string;
  readonly case: string;
  readonly server: string;
  readonly metric: string;
  readonly unit: string;
  readonly before: number;
  readonly now: number;
  /** Now over before. */
  readonly ratio: number;
  /** The same of what it is of the baseline, which the speed of the machine is not in. */
  readonly ofBaseline: { readonly before: number; readonly now: number } | undefined;
  readonly verdict: Verdict;
}

export interface Comparison {
  readonly before: Pick<Results, 'commit' | 'startedAt'>;
  /** If the machines differ, only ratios to the baseline say something. */
  readonly isSameMachine: boolean;
  readonly figures: readonly ComparedFigure[];
  /** Figures that only one of the two has. */
  readonly missing: readonly string[];
}

/**
 * Each figure of confab beside that of an older run. Where both have a baseline its part of the
 * baseline decides, as the two halves of that were measured by turns; else the figure itself does.
 */
export function compare(before: Results, now: Results): Comparison {
  const olds = new Map(figuresOf(before).map((one) => [keyOf(one), one]));
  const news = figuresOf(now).filter(({ figure }) => figure.server === 'confab');
  const both = news.flatMap((one) => {
    const old = olds.get(keyOf(one));
    return old === undefined ? [] : [compared(one.benchmark, old.figure, one.figure)];
  });
  const missing = news.map(keyOf).filter((key) => !olds.has(key));
  return {
    before: { commit: before.commit, startedAt: before.startedAt },
    isSameMachine:
      before.machine.cpu === now.machine.cpu && before.machine.cores === now.machine.cores,
    figures: both,
    missing,
  };
}

interface Located {
  readonly benchmark: string;
  readonly figure: Figure;
}

const figuresOf = ({ benchmarks }: Results): readonly Located[] =>
  benchmarks.flatMap(({ name: benchmark, figures }) =>
    figures.map((figure) => ({ benchmark, figure })),
  );

const keyOf = ({ benchmark, figure }: Located) =>
  `${benchmark}: ${figure.case}, ${figure.server}, ${figure.metric}`;

function compared(benchmark: string, old: Figure, now: Figure): ComparedFigure {
  const { better } = now;
  const baselines =
    old.ofBaseline === undefined || now.ofBaseline === undefined
      ? undefined
      : { before: old.ofBaseline, now: now.ofBaseline };
  return {
    benchmark,
    case: now.case,
    server: now.server,
    metric: now.metric,
    unit: now.unit,
    before: old.median,
    now: now.median,
    ratio: now.median / old.median,
    ofBaseline: baselines && { before: median(baselines.before), now: median(baselines.now) },
    verdict: verdict({ better, ...(baselines ?? { before: old.values, now: now.values }) }),
  };
}

export const regressions = ({ figures }: Comparison): readonly ComparedFigure[] =>
  figures.filter((one) => one.verdict === 'worse');
