interface Counts {
  /** For somebody who waits for it, as CI does. */
  readonly few: number;
  /** If `ALL_RUNS` is set. */
  readonly all: number;
  /** With `ALL_RUNS=most`, which takes many minutes; otherwise there are no more than all. */
  readonly most?: number;
}

/** Returns how many times a search at random is run, or how large a test is. */
export function runs({ few, all, most = all }: Counts): number {
  if (!isInFull()) return few;
  return allRuns() === 'most' ? most : all;
}

/** Returns the numbers from 1 to that: one test for each run, or a seed for each. */
export const runNumbers = (counts: Parameters<typeof runs>[0]): number[] =>
  Array.from({ length: runs(counts) }, (_, index) => index + 1);

/** Returns every so many of the cases: all of them if `ALL_RUNS` is set. */
export const someOf = <Case>(cases: readonly Case[], { every }: { readonly every: number }) =>
  cases.filter((_, index) => isInFull() || index % every === 0);

/** Tells whether `ALL_RUNS` is set. */
export const isInFull = () => Boolean(allRuns());

// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
const allRuns = () => process.env['ALL_RUNS'];
