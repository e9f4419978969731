import type { Comparison } from '../suite/comparison.ts';
import { disturbances } from '../suite/disturbances.ts';
import type { BenchmarkResult, Figure, Results } from '../suite/results.ts';
import { serversIn } from '../suite/servers.ts';
import { median } from '../suite/statistics.ts';
import { comparedTable, type Table, usageTable } from '../suite/tables.ts';
import { numberText, percentText, timeText } from '../suite/texts.ts';
import { type Cell, table } from './terminal.ts';

/** Returns the findings of a benchmark, for a terminal. */
export function summaryText(result: BenchmarkResult): string {
  const warnings = result.usages
    .filter(({ isGeneratorTheLimit }) => isGeneratorTheLimit)
    .map(({ case: name, server }) => `  the load generator was the limit: ${name}, ${server}`);
  const missed = result.targets.filter(({ isMet }) => !isMet);
  const targets = [
    ...missed.map(
      ({ name, case: of, expected, got }) =>
        `  MISSED ${name} (${of}): ${got}, expected ${expected}`,
    ),
    `  ${result.targets.length - missed.length} of ${result.targets.length} met`,
  ];
  const sections = [
    `== ${result.name}: ${result.summary} (${timeText(result.seconds)})`,
    figuresTable(result),
    tableText(usageTable(result.usages)),
    result.targets.length > 0 ? `targets\n${targets.join('\n')}` : '',
    warnings.length > 0 ? `warnings\n${warnings.join('\n')}` : '',
    result.notes.map((note) => `  ${note}`).join('\n'),
    result.faults.map((fault) => `  FAILED ${fault}`).join('\n'),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** A row for each case and figure, a column for each server. */
function figuresTable({ figures }: BenchmarkResult): string {
  const servers = serversIn(figures);
  const hasBaseline = figures.some(({ ofBaseline }) => ofBaseline !== undefined);
  const keys = [...new Set(figures.map(keyOf))];
  const rows = keys.map((key): readonly Cell[] => {
    const own = figures.filter((one) => keyOf(one) === key);
    const [first] = own;
    const cells = servers.map((server) => own.find((one) => one.server === server));
    const ofBaseline = cells.find((one) => one?.server === 'confab')?.ofBaseline;
    return [
      first?.case ?? '',
      first?.metric ?? '',
      first?.unit ?? '',
      ...cells.map((one) => (one === undefined ? '' : numberText(one.median))),
      cells.map((one) => (one === undefined ? '' : spreadText(one))).join(' '),
      ...(hasBaseline ? [ofBaseline === undefined ? '' : numberText(median(ofBaseline))] : []),
    ];
  });
  const head = [
    'case',
    'figure',
    'unit',
    ...servers,
    'spread',
    ...(hasBaseline ? ['of baseline'] : []),
  ];
  return table(head, rows);
}

const keyOf = ({ case: name, metric }: Figure) => JSON.stringify([name, metric]);

const spreadText = ({ values, spread }: Figure) => (values.length > 1 ? percentText(spread) : '–');

const tableText = ({ head, rows }: Table) => table(head, rows);

/** Returns the differences from an older run that lie beyond the spread of the repeats. */
export function comparisonText({ before, isSameMachine, figures, missing }: Comparison): string {
  const told = figures.filter(({ verdict }) => verdict === 'worse' || verdict === 'better');
  const unsure = figures.filter(({ verdict }) => verdict === 'too few repeats').length;
  const counts = [
    `${figures.length} figures compared with ${before.commit} of ${before.startedAt.slice(0, 10)}`,
    `${told.length} differ beyond the spread of the repeats`,
    ...(unsure > 0 ? [`${unsure} have too few repeats to tell (3 are needed)`] : []),
    ...(missing.length > 0 ? [`${missing.length} are new`] : []),
  ];
  const warning = isSameMachine
    ? []
    : ['The machines differ: only parts of the baseline say something.'];
  // With too few repeats nothing is told apart, and the ratios are all there is.
  const shown = told.length === 0 && unsure > 0 ? figures : told;
  return [
    `${counts.join('; ')}.`,
    ...warning,
    ...(shown.length > 0 ? [tableText(comparedTable(shown))] : []),
  ].join('\n\n');
}

/** The last lines of a run. */
export function closingText({ benchmarks, machine, url }: Results): string {
  const targets = benchmarks.flatMap((one) => one.targets);
  const faults = benchmarks.flatMap((one) => one.faults);
  const met = targets.filter(({ isMet }) => isMet).length;
  return [
    faults.length === 0
      ? 'Nothing lost, repeated or out of order.'
      : `FAILED: ${faults.length} faults, see above.`,
    targets.length === 0 ? '' : `Targets met: ${met} of ${targets.length}.`,
    url === null ? '' : 'The server was elsewhere: its CPU time and memory are not known.',
    disturbances(machine).join(' '),
  ]
    .filter((line) => line !== '')
    .join('\n');
}
