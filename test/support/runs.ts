/**
 * Returns how many times a search at random is run: a few times for somebody who waits for it, and
 * all of them if `ALL_RUNS` is set, as `.ci/run` does.
 */
export const runs = ({ few, all }: { readonly few: number; readonly all: number }): number =>
  isInFull() ? all : few;

/** Returns the numbers from 1 to that: one test for each run, or a seed for each. */
export const runNumbers = (counts: Parameters<typeof runs>[0]): number[] =>
  Array.from({ length: runs(counts) }, (_, index) => index + 1);

/** Returns every so many of the cases: all of them if `ALL_RUNS` is set. */
export const someOf = <Case>(cases: readonly Case[], { every }: { readonly every: number }) =>
  cases.filter((_, index) => isInFull() || index % every === 0);

// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
const isInFull = () => Boolean(process.env['ALL_RUNS']);
