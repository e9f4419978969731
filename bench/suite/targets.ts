import type { Target } from './benchmark.ts';
import type { Figure, TargetOutcome } from './results.ts';
import { grouped, median, ratios } from './statistics.ts';
import { figureText } from './texts.ts';

/** How each target came out in each case that it names and that was measured. */
export function targetsOf(
  targets: readonly Target[],
  figures: readonly Figure[],
): readonly TargetOutcome[] {
  return targets.flatMap((target) =>
    figures
      .filter((own) => own.server === 'confab' && own.metric === target.metric)
      .filter((own) => target.case.test(own.case))
      .flatMap((own) => outcomeOf(target, own, figures) ?? []),
  );
}

function outcomeOf(
  target: Target,
  own: Figure,
  figures: readonly Figure[],
): TargetOutcome | undefined {
  const other = otherOf(target, own, figures);
  if (target.against !== undefined && other === undefined) return undefined;
  const value = amountOf(target, own, other);
  const isMet = value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity);
  const words = (amount: number) => inWords(amount, target, own);
  const bounds = [
    target.atLeast === undefined ? [] : [`at least ${words(target.atLeast)}`],
    target.atMost === undefined ? [] : [`at most ${words(target.atMost)}`],
  ].flat();
  const { name, metric } = target;
  return {
    name,
    case: own.case,
    metric,
    expected: bounds.join(' and '),
    got: words(value),
    value,
    better: target.atLeast === undefined ? 'lower' : 'higher',
    isMet,
  };
}

function otherOf({ against }: Target, own: Figure, figures: readonly Figure[]): Figure | undefined {
  if (against === undefined) return undefined;
  const server = 'server' in against ? against.server : own.server;
  const named = 'case' in against ? against.case : own.case;
  return figures.find(
    (one) => one.metric === own.metric && one.server === server && one.case === named,
  );
}

function amountOf({ by = 'ratio' }: Target, own: Figure, other: Figure | undefined): number {
  if (other === undefined) return own.median;
  // Each repeat is compared by itself, since its two halves had the same moment of the machine.
  if (by === 'ratio') return median(ratios(own.values, other.values));
  return median(own.values.map((value, round) => value - (other.values[round] ?? Number.NaN)));
}

function inWords(amount: number, { against, by = 'ratio' }: Target, own: Figure): string {
  if (against === undefined) return figureText(amount, own.unit);
  const other = 'server' in against ? serverInWords(against.server) : against.case;
  if (by === 'ratio') return `${amount.toFixed(2)} of ${other}`;
  return `${figureText(amount, own.unit)} above ${other}`;
}

const serverInWords = (server: string) => (server === 'baseline' ? 'the baseline' : server);

/** A target with all its cases. */
export interface GatheredTarget {
  /** The case that is furthest from it. */
  readonly worst: TargetOutcome;
  readonly met: number;
  readonly count: number;
}

export function gathered(targets: readonly TargetOutcome[]): readonly GatheredTarget[] {
  return grouped(targets, ({ name }) => name).flatMap((group) => {
    const [worst] = group.toSorted((one, other) =>
      one.better === 'higher' ? one.value - other.value : other.value - one.value,
    );
    const met = group.filter(({ isMet }) => isMet).length;
    return worst === undefined ? [] : [{ worst, met, count: group.length }];
  });
}
