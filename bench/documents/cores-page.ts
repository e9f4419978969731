import { AXIS } from '../benchmarks/by-gateways/case.ts';
import { curveSvg } from '../report/curve-svg.ts';
import { plotsOf } from '../report/plots.ts';
import type { BenchmarkResult, Figure, Results } from '../suite/results.ts';
import { grouped } from '../suite/statistics.ts';
import { numberText } from '../suite/texts.ts';
import { type Expected, expectations, MACHINES, type Machine } from './cores-model.ts';
import { markdownTable, originOf } from './document-tables.ts';

// The tables and the picture of bench/results/cores.md are made of a run of `gateways`.

/** The metric of the picture: it says what the cores of a machine have to spend. */
const PICTURED = 'CPU of the writer per message';

/** Returns the tables of the page, of a run that has the benchmark `gateways`. */
export function coresTables(results: Results): string {
  const { figures, faults } = gatewaysOf(results);
  return [
    originOf(results),
    ...faults.map((fault) => `Failed: ${fault.replace(/\s+/g, ' ').trim()}`),
    '### What was measured',
    measuredTable(figures),
    '### What machines can be expected to hold',
    expectedTable(figures),
  ].join('\n\n');
}

export function coresPicture(results: Results): string | undefined {
  const [plots] = plotsOf([gatewaysOf(results)]).benchmarks;
  const plot = plots?.curves.find(({ metric, axis }) => metric === PICTURED && axis === AXIS);
  if (plot === undefined) return undefined;
  // Without gateways one process does all of it: that is another figure.
  const lines = plot.lines.map((line) => ({ ...line, server: line.curve, curve: '' }));
  return curveSvg({ ...plot, metric: `${PICTURED}, µs`, lines });
}

function gatewaysOf({ benchmarks }: Results): BenchmarkResult {
  const found = benchmarks.find(({ name }) => name === AXIS);
  if (found === undefined) throw new Error('the run has no figures by the number of gateways');
  return found;
}

/** A row for each figure of each curve, and a column for each number of gateways. */
function measuredTable(figures: readonly Figure[]): string {
  const placed = figures.flatMap((figure) => (figure.at === undefined ? [] : [figure]));
  const counts = [...new Set(placed.map(({ at }) => at?.value ?? 0))].sort((a, b) => a - b);
  const rows = grouped(placed, ({ at, metric }) => JSON.stringify([at?.curve, metric])).map(
    (own) => [
      own[0]?.at?.curve ?? '',
      `${own[0]?.metric}, ${own[0]?.unit}`,
      ...counts.map((count) => {
        const figure = own.find(({ at }) => at?.value === count);
        return figure === undefined ? '' : numberText(figure.median);
      }),
    ],
  );
  const columns = counts.map((count) => (count === 1 ? '1 gateway' : `${count} gateways`));
  return markdownTable(['case', 'figure', ...columns], rows);
}

function expectedTable(figures: readonly Figure[]): string {
  const rows = MACHINES.flatMap((machine) =>
    expectations(figures, machine).map((one) => [nameOf(machine), ...cellsOf(one)]),
  );
  return markdownTable(['machine', 'what', 'a second', 'the limit', 'CPU time of each'], rows);
}

const nameOf = ({ cores, gateways }: Machine) =>
  `${cores} cores, ${gateways} ${gateways === 1 ? 'gateway' : 'gateways'}`;

const cellsOf = ({ what, atLeast, atMost, limit, madeOf }: Expected) => [
  what,
  [...new Set([atLeast, atMost].map((value) => numberText(roundedDown(value))))].join(' to '),
  limit,
  madeOf,
];

/** Two figures are more than a model knows. */
function roundedDown(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.floor(value / unit) * unit;
}
