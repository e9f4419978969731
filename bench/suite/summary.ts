import type { BenchmarkResult, Figure, Results } from './results.ts';
import { median } from './statistics.ts';
import { type Cell, table } from './terminal.ts';
import { figureText, numberText, percentText, timeText } from './texts.ts';

const MIB = 1024 * 1024;

/** What a benchmark found, for a terminal. */
export function summaryText(result: BenchmarkResult): string {
  const warnings = result.usages
    .filter(({ isGeneratorTheLimit }) => isGeneratorTheLimit)
    .map(({ case: name, server }) => `  the load generator was the limit: ${name}, ${server}`);
  const marks = result.marks.map(
    ({ name, case: of, wanted, got, isReached }) =>
      `  ${isReached ? 'reached ' : 'MISSED  '} ${name} (${of}): ${got}, wanted ${wanted}`,
  );
  const sections = [
    `== ${result.name}: ${result.summary} (${timeText(result.seconds)})`,
    table(
      FIGURES_HEAD,
      result.figures.map((figure) => figureRow(figure, result)),
    ),
    marks.length > 0 ? `marks\n${marks.join('\n')}` : '',
    warnings.length > 0 ? `warnings\n${warnings.join('\n')}` : '',
    result.notes.map((note) => `  ${note}`).join('\n'),
    result.faults.map((fault) => `  FAILED ${fault}`).join('\n'),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

const FIGURES_HEAD = [
  'case',
  'server',
  'figure',
  'median',
  'unit',
  'spread',
  'of floor',
  'server CPU s',
  'generator',
  'peak MiB',
];

function figureRow(figure: Figure, { usages }: BenchmarkResult): readonly Cell[] {
  const used = usages.find((one) => one.case === figure.case && one.server === figure.server);
  return [
    figure.case,
    figure.server,
    figure.metric,
    numberText(figure.median),
    figure.unit,
    figure.values.length > 1 ? percentText(figure.spread) : '–',
    figure.ofFloor === undefined ? '' : middle(figure.ofFloor),
    middle(used?.serverCpuSeconds),
    middle(used?.generatorCpuSeconds),
    middle(used?.serverPeakBytes?.map((bytes) => bytes / MIB)),
  ];
}

const middle = (values: readonly number[] | undefined) =>
  values === undefined || values.length === 0 ? '–' : numberText(median(values));

/** The last lines of a run. */
export function closingText({ benchmarks, machine, url }: Results): string {
  const marks = benchmarks.flatMap((one) => one.marks);
  const faults = benchmarks.flatMap((one) => one.faults);
  const reached = marks.filter(({ isReached }) => isReached).length;
  const busy = machine.loadBefore > machine.cores / 2;
  return [
    faults.length === 0
      ? 'Nothing lost, repeated or out of order.'
      : `FAILED: ${faults.length} faults, see above.`,
    marks.length === 0 ? '' : `Marks reached: ${reached} of ${marks.length}.`,
    url === null ? '' : 'The server was elsewhere: its CPU time and memory are not known.',
    busy
      ? `Other work was on the machine before the run (load ${figureText(machine.loadBefore)}): absolute figures say little.`
      : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
