import type { BenchmarkResult, Figure, MarkOutcome, Results } from './results.ts';
import { serversIn } from './servers.ts';
import { median } from './statistics.ts';
import { numberText, percentText } from './texts.ts';

// The tables of README.md and bench/README.md, made of a file of results. Nobody edits them.

const BEGIN = '<!-- results: begin -->';
const END = '<!-- results: end -->';

/** The document with its tables made anew. */
export function withTables(document: string, tables: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the document has no place between ${BEGIN}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}

/** For README.md: what the marks came to. */
export function marksTable(results: Results): string {
  const rows = results.benchmarks.flatMap(({ name, marks }) =>
    byName(marks).map((group) => markRow(name, group)),
  );
  return `${originOf(results)}\n\n${markdownTable(['benchmark', 'mark', 'wanted', 'measured', 'reached'], rows)}`;
}

/** For bench/README.md: every figure of each benchmark. */
export function figureTables(results: Results): string {
  return [originOf(results), ...results.benchmarks.map(tableOf)].join('\n\n');
}

export function originOf({ startedAt, commit, isChanged, repeats, machine }: Results): string {
  const { cpu, cores, memoryBytes, kernel, node, fileSystem, loadBefore } = machine;
  const gib = Math.round(memoryBytes / 1024 ** 3);
  const state = isChanged ? `${commit}, changed` : commit;
  return [
    `${startedAt.slice(0, 10)}, commit ${state}: ${cores} cores (${cpu}), ${gib} GiB, Linux ${kernel}, Node ${node.slice(1)}, data on ${fileSystem};`,
    `medians of ${repeats}; load average before the run ${numberText(loadBefore)}.`,
  ].join('\n');
}

function byName(marks: readonly MarkOutcome[]): readonly (readonly MarkOutcome[])[] {
  const groups = new Map<string, MarkOutcome[]>();
  for (const mark of marks) groups.set(mark.name, [...(groups.get(mark.name) ?? []), mark]);
  return [...groups.values()];
}

function markRow(benchmark: string, group: readonly MarkOutcome[]): readonly string[] {
  const reached = group.filter(({ isReached }) => isReached).length;
  const [first] = group;
  const measured = group.map(({ case: name, got }) => (group.length > 1 ? `${name}: ${got}` : got));
  return [
    `\`${benchmark}\``,
    first?.name ?? '',
    first?.wanted ?? '',
    measured.join('; '),
    group.length > 1 ? `${reached} of ${group.length}` : reached === 1 ? 'yes' : 'no',
  ];
}

function tableOf({ name, summary, figures }: BenchmarkResult): string {
  const servers = serversIn(figures);
  const keys = [...new Set(figures.map(({ case: of, metric }) => JSON.stringify([of, metric])))];
  const rows = keys.map((key) => {
    const own = figures.filter(({ case: of, metric }) => JSON.stringify([of, metric]) === key);
    return figureRow(own, servers);
  });
  const head = ['case', 'figure', ...servers, ...(servers.includes('floor') ? ['of floor'] : [])];
  return `**${name}**: ${summary}\n\n${markdownTable(head, rows)}`;
}

function figureRow(own: readonly Figure[], servers: readonly string[]): readonly string[] {
  const [first] = own;
  const texts = servers.map((server) => {
    const figure = own.find((one) => one.server === server);
    if (figure === undefined) return '';
    const spread = figure.values.length > 1 ? ` ± ${percentText(figure.spread / 2)}` : '';
    return `${numberText(figure.median)}${spread}`;
  });
  const ofFloor = own.find(({ server }) => server === 'confab')?.ofFloor;
  const ratio = ofFloor === undefined ? '' : numberText(median(ofFloor));
  return [
    first?.case ?? '',
    `${first?.metric ?? ''}, ${first?.unit ?? ''}`,
    ...texts,
    ...(servers.includes('floor') ? [ratio] : []),
  ];
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) =>
    Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(cells[0] ?? []), rule, ...cells.slice(1).map(line)].join('\n');
}
