/** The middle of what the repeats gave. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** From the lowest to the highest, as a part of the median: 0.1 is ten percent. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  if (values.length < 2 || middle === 0) return 0;
  return (Math.max(...values) - Math.min(...values)) / Math.abs(middle);
}

export function quantile(values: readonly number[], of: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? 0;
}

/**
 * One after the other, as often as is said, so that a slow moment of the machine falls on all of
 * them.
 */
export function* alternating<T>(list: readonly T[], times: number): Generator<T> {
  for (let round = 0; round < times; round++) yield* list;
}

/**
 * Each of the first over that of the second of the same round; the two had the same moment of the
 * machine.
 */
export function ratios(values: readonly number[], others: readonly number[]): readonly number[] {
  const rounds = Math.min(values.length, others.length);
  return values.slice(0, rounds).map((value, round) => value / (others[round] ?? Number.NaN));
}

export type Verdict = 'better' | 'worse' | 'same' | 'too few repeats';

interface Compared {
  readonly before: readonly number[];
  readonly now: readonly number[];
  readonly better: 'higher' | 'lower';
}

/** Fewer repeats do not tell a change from what the machine does. */
const REPEATS_MIN = 3;

/**
 * Worse is what is worse beyond the spread of the repeats: the best of now does not reach the worst
 * of before. With three repeats on each side that happens by chance to one figure in twenty that
 * has not changed.
 */
export function verdict({ before, now, better }: Compared): Verdict {
  if (before.length < REPEATS_MIN || now.length < REPEATS_MIN) return 'too few repeats';
  const isHigher = Math.min(...now) > Math.max(...before);
  const isLower = Math.max(...now) < Math.min(...before);
  if (!isHigher && !isLower) return 'same';
  return isHigher === (better === 'higher') ? 'better' : 'worse';
}

/** Groups items by key, in the order in which the keys come. */
export function grouped<T>(
  list: readonly T[],
  keyOf: (one: T) => string,
): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}
