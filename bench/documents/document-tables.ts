import { disturbances } from '../suite/disturbances.ts';
import type { BenchmarkResult, Figure, Results } from '../suite/results.ts';
import { serversIn } from '../suite/servers.ts';
import { median } from '../suite/statistics.ts';
import { type GatheredTarget, gathered } from '../suite/targets.ts';
import { numberText, percentText } from '../suite/texts.ts';

// The tables of bench/results/README.md are made of a file of results. Nobody edits them.

const BEGIN = '<!-- results: begin -->';
const END = '<!-- results: end -->';

/** Returns the document with new tables. */
export function withTables(document: string, tables: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the document has no place between ${BEGIN}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}

/** Returns the table of targets and what one run measured for each. */
export function targetsTable(results: Results): string {
  const rows = results.benchmarks.flatMap(({ name, targets }) =>
    gathered(targets).map((one) => targetRow(name, one)),
  );
  return markdownTable(['benchmark', 'target', 'expected', 'worst', 'in the case', 'met'], rows);
}

/**
 * Returns the tables of bench/results/README.md: the outcome of each target in each run that is
 * kept, and those figures of the newest run that say most.
 */
export function figureTables(results: Results, runs: readonly Results[]): string {
  const newest = [originOf(results), targetsTable(results), ...results.benchmarks.map(tableOf)];
  return [runsTable(runs), '### The newest run', ...newest].join('\n\n');
}

/** Each target in each run: the case that is furthest from it, and in how many it was met. */
export function runsTable(runs: readonly Results[]): string {
  const days = runs.map(({ startedAt }) => startedAt.slice(0, 10));
  const rows = new Map<string, { expected: string; values: string[] }>();
  // The newest first: what is expected now, in the order of now.
  for (const [column, { benchmarks }] of [...runs.entries()].reverse()) {
    for (const { name, targets } of benchmarks) {
      for (const one of gathered(targets)) {
        const key = JSON.stringify([`\`${name}\``, one.worst.name]);
        const row = rows.get(key) ?? { expected: one.worst.expected, values: days.map(() => '') };
        row.values[column] = outcomeText(one);
        rows.set(key, row);
      }
    }
  }
  const lines = [...rows].map(([key, { expected, values }]) => {
    const titles = JSON.parse(key) as readonly string[]; // as it was made
    return [...titles, expected, ...values];
  });
  const origins = runs.map((run) => `- ${originOf(run).replaceAll('\n', '\n  ')}`).join('\n');
  const table = markdownTable(['benchmark', 'target', 'expected', ...days], lines);
  return `### Targets by run\n\n${origins}\n\n${table}`;
}

const outcomeText = (one: GatheredTarget): string =>
  `${numberText(one.worst.value)}, ${metText(one)}`;

const metText = ({ met, count }: GatheredTarget): string =>
  count > 1 ? `${met} of ${count}` : met === 1 ? 'yes' : 'no';

export function originOf({ startedAt, commit, isChanged, repeats, machine }: Results): string {
  const { cpu, cores, memoryBytes, kernel, node, fileSystem, loadBefore } = machine;
  const gib = Math.round(memoryBytes / 1024 ** 3);
  const state = isChanged ? `${commit}, changed` : commit;
  return [
    `${startedAt.slice(0, 10)}, commit ${state}: ${cores} cores (${cpu}), ${gib} GiB, Linux ${kernel}, Node ${node.slice(1)}, data on ${fileSystem};`,
    `medians of ${repeats}; load average before the run ${numberText(loadBefore)}.`,
    ...disturbances(machine),
  ].join('\n');
}

function targetRow(benchmark: string, one: GatheredTarget): readonly string[] {
  const { worst, count } = one;
  return [
    `\`${benchmark}\``,
    worst.name,
    worst.expected,
    worst.got,
    count > 1 ? worst.case : '',
    metText(one),
  ];
}

/** The first of a benchmark, and those that it has targets for; all others are in the report. */
function headlines({ metrics, targets }: BenchmarkResult): readonly string[] {
  const [first] = Object.keys(metrics);
  return [...new Set([first, ...targets.map(({ metric }) => metric)])].filter(
    (metric) => metric !== undefined,
  );
}

function tableOf(result: BenchmarkResult): string {
  const { name, summary } = result;
  const told = headlines(result);
  const figures = result.figures.filter(({ metric }) => told.includes(metric));
  const servers = serversIn(figures);
  const keys = [...new Set(figures.map(({ case: of, metric }) => JSON.stringify([of, metric])))];
  const hasBaseline = figures.some(({ ofBaseline }) => ofBaseline !== undefined);
  const rows = keys.map((key) => {
    const own = figures.filter(({ case: of, metric }) => JSON.stringify([of, metric]) === key);
    return figureRow(own, { servers, hasBaseline });
  });
  const head = ['case', 'figure', ...servers, ...(hasBaseline ? ['of baseline'] : [])];
  // A table must not look as if all had gone well.
  const failed = result.faults.map((fault) => `Failed: ${fault.replace(/\s+/g, ' ').trim()}`);
  const parts = [`**${name}**: ${summary}`, ...failed, markdownTable(head, rows)];
  return parts.join('\n\n');
}

interface Columns {
  readonly servers: readonly string[];
  readonly hasBaseline: boolean;
}

function figureRow(own: readonly Figure[], { servers, hasBaseline }: Columns): readonly string[] {
  const [first] = own;
  const texts = servers.map((server) => {
    const figure = own.find((one) => one.server === server);
    if (figure === undefined) return '';
    const spread = figure.values.length > 1 ? ` ± ${percentText(figure.spread / 2)}` : '';
    return `${numberText(figure.median)}${spread}`;
  });
  const ofBaseline = own.find(({ server }) => server === 'confab')?.ofBaseline;
  const ratio = ofBaseline === undefined ? '' : numberText(median(ofBaseline));
  return [
    first?.case ?? '',
    `${first?.metric ?? ''}, ${first?.unit ?? ''}`,
    ...texts,
    ...(hasBaseline ? [ratio] : []),
  ];
}

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(cells[0] ?? []), rule, ...cells.slice(1).map(line)].join('\n');
}
