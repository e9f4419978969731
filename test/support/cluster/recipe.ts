import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runs as runsOf } from '../runs.ts';

/** A fault that is brought about again and again, and what has to hold. */
export interface Recipe {
  /** The fault, as a row of the table calls it. */
  readonly name: string;
  /** Says when it passes, as a row of the table has it. */
  readonly passes: string;
  /** How often it is run in CI, which may be never, and in full. */
  readonly runs: { readonly few: number; readonly all?: number; readonly full: number };
  /** Tells that this machine has not what it needs. */
  readonly isLeftOut?: boolean;
  readonly timeoutMs: number;
  /** Brings the fault about so often, and tells what came of it. */
  readonly run: (runs: number) => Promise<Finding>;
}

export interface Finding {
  /** The figures, as a row of the table has them. */
  readonly figure: string;
  /** How often the fault was brought about, if the time was over before all runs were. */
  readonly runs?: number;
  readonly holds: boolean;
  /**
   * Tells whether all holds but times, which are those of the machine; by default the same as
   * `holds`. The short form asks for no more.
   */
  readonly isSafe?: boolean;
}

/** A row of the table, as it is kept. */
export interface Row extends Finding {
  readonly name: string;
  readonly passes: string;
  readonly runs: number;
  /** How often the recipe wants it to be run. */
  readonly wanted: number;
  readonly on: string;
}

export const PAGE = resolve(import.meta.dirname, '../../../docs/cluster-results.md');
export const ROWS = join(resolve(import.meta.dirname, '../../cluster/recipes'), 'results.json');

/** Makes a test of a recipe. In full it is also a row of `docs/cluster-results.md`. */
export function recipe({ name, passes, runs, isLeftOut, timeoutMs, run }: Recipe): void {
  const count = runsOf({ few: runs.few, all: runs.all ?? runs.few, most: runs.full });
  test.skipIf(isLeftOut || count === 0)(
    `${name}: ${passes}`,
    async () => {
      let failure: unknown;
      const finding = await run(count).catch((error: unknown): Finding => {
        failure = error;
        return { figure: String(error).split('\n')[0] ?? '', holds: false };
      });
      const on = new Date().toISOString().slice(0, 10);
      const { isSafe = finding.holds } = finding;
      if (count === runs.full) write({ name, passes, on, runs: count, wanted: count, ...finding });
      if (failure !== undefined) throw failure;
      expect(count === runs.full ? finding.holds : isSafe, finding.figure).toBe(true);
    },
    timeoutMs,
  );
}

// biome-ignore lint/style/noProcessEnv: it is for who runs the recipes, and no setting.
const minutes = () => Number(process.env['RECIPE_MINUTES'] ?? Number.POSITIVE_INFINITY);

/**
 * Does something so often, but begins nothing new after the minutes that `RECIPE_MINUTES` says.
 * Returns how often it was done.
 */
export async function repeated(runs: number, work: (run: number) => Promise<void>) {
  const until = performance.now() + minutes() * 60_000;
  let run = 0;
  for (; run < runs && (run === 0 || performance.now() < until); run += 1) await work(run);
  return run;
}

function write(row: Row): void {
  const before: Row[] = existsSync(ROWS) ? JSON.parse(readFileSync(ROWS, 'utf8')) : [];
  const at = before.findIndex(({ name }) => name === row.name);
  const rows = at < 0 ? [...before, row] : before.with(at, row);
  writeFileSync(ROWS, `${JSON.stringify(rows, null, 2)}\n`);
  writeFileSync(PAGE, pageOf(rows));
}

/** Tells whether a row holds; times are those of the machine, and what is lost is not. */
function heldOf({ holds, isSafe = holds }: Row): string {
  if (holds) return 'yes';
  return isSafe ? 'all but the time' : '**no**';
}

/** Tells how often the fault was brought about, and how often it should have been. */
const runsIn = ({ runs, wanted }: Row) => (runs < wanted ? `${runs} of ${wanted}` : String(runs));

const FEWER = `
**Few of the runs that the recipes ask for were made** where a row says _4 of 20_: each recipe had a few minutes. Such a row shows
that the fault can be withstood, and not how seldom it is not; with four runs and no loss, one in two could still fail.
`;

/** Writes the page of the rows. */
export const pageOf = (rows: readonly Row[]) => `# Fault injection on a cluster: results

Each recipe brings a fault about on real NATS servers, each server with \`sync_interval: always\` and each stream with three
replicas, and on nodes that are processes; servers and nodes have hosts with addresses of their own. Recipes that name the memory
have the log there, and all nodes in one process. CI runs the same recipes a few times each.
${rows.some(({ runs, wanted }) => runs < wanted) ? FEWER : ''}
All servers, nodes and clients were on one machine of two cores, which several people shared, with a load of 5 to 25: times are
those of a busy machine, and a row that holds _all but the time_ lost nothing. Percentiles of a few runs are the worst of them.

\`ALL_RUNS=most npm run test:cluster\` and \`ALL_RUNS=most npx vitest run test/cluster\` write this page. What was found by it is
in decisions [0233](decisions/0233-log-on-jetstream.md) and [0249](decisions/0249-faults-of-whole-nodes.md).

${tableOf([
  ['recipe', 'passes when', 'runs', 'figures', 'on', 'holds'],
  ...rows.map((row) => {
    const { name, passes, figure, on } = row;
    return [name, passes, runsIn(row), figure, on, heldOf(row)];
  }),
])}
`;

/** Writes a table as the formatter of the project does: all cells of a column are equally wide. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill: string) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head, ' '), line([], '-'), ...rest.map((row) => line(row, ' '))].join('\n');
}

/** Returns a percentile of some values; 0 of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
