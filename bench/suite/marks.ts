import type { Mark } from './benchmark.ts';
import type { Figure, MarkOutcome } from './results.ts';
import { median, ratios } from './statistics.ts';
import { figureText } from './texts.ts';

/** How each mark came out in each case that it names and that was measured. */
export function marksOf(
  marks: readonly Mark[],
  figures: readonly Figure[],
): readonly MarkOutcome[] {
  return marks.flatMap((mark) =>
    figures
      .filter((own) => own.server === 'confab' && own.metric === mark.metric)
      .filter((own) => mark.case.test(own.case))
      .flatMap((own) => outcomeOf(mark, own, figures) ?? []),
  );
}

function outcomeOf(mark: Mark, own: Figure, figures: readonly Figure[]): MarkOutcome | undefined {
  const other = otherOf(mark, own, figures);
  if (mark.against !== undefined && other === undefined) return undefined;
  const value = amountOf(mark, own, other);
  const isReached = value >= (mark.atLeast ?? -Infinity) && value <= (mark.atMost ?? Infinity);
  const words = (amount: number) => inWords(amount, mark, own);
  const bounds = [
    mark.atLeast === undefined ? [] : [`at least ${words(mark.atLeast)}`],
    mark.atMost === undefined ? [] : [`at most ${words(mark.atMost)}`],
  ].flat();
  const { name, metric } = mark;
  return {
    name,
    case: own.case,
    metric,
    wanted: bounds.join(' and '),
    got: words(value),
    value,
    better: mark.atLeast === undefined ? 'lower' : 'higher',
    isReached,
  };
}

function otherOf({ against }: Mark, own: Figure, figures: readonly Figure[]): Figure | undefined {
  if (against === undefined) return undefined;
  const server = 'server' in against ? against.server : own.server;
  const named = 'case' in against ? against.case : own.case;
  return figures.find(
    (one) => one.metric === own.metric && one.server === server && one.case === named,
  );
}

function amountOf({ by = 'ratio' }: Mark, own: Figure, other: Figure | undefined): number {
  if (other === undefined) return own.median;
  // Of each repeat by itself, whose halves had the same moment of the machine.
  if (by === 'ratio') return median(ratios(own.values, other.values));
  return median(own.values.map((value, round) => value - (other.values[round] ?? Number.NaN)));
}

function inWords(amount: number, { against, by = 'ratio' }: Mark, own: Figure): string {
  if (against === undefined) return figureText(amount, own.unit);
  const other = 'server' in against ? serverInWords(against.server) : against.case;
  if (by === 'ratio') return `${amount.toFixed(2)} of ${other}`;
  return `${figureText(amount, own.unit)} above ${other}`;
}

const serverInWords = (server: string) => (server === 'baseline' ? 'the baseline' : server);

/** A mark with all its cases. */
export interface GatheredMark {
  /** The case that is furthest from it. */
  readonly worst: MarkOutcome;
  readonly reached: number;
  readonly count: number;
}

export function gathered(marks: readonly MarkOutcome[]): readonly GatheredMark[] {
  const groups = new Map<string, MarkOutcome[]>();
  for (const mark of marks) groups.set(mark.name, [...(groups.get(mark.name) ?? []), mark]);
  return [...groups.values()].flatMap((group) => {
    const [worst] = group.toSorted((one, other) =>
      one.better === 'higher' ? one.value - other.value : other.value - one.value,
    );
    const reached = group.filter(({ isReached }) => isReached).length;
    return worst === undefined ? [] : [{ worst, reached, count: group.length }];
  });
}
