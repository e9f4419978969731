import uPlot from 'uplot';
import type { SeriesSpec } from '../../src/console/wire.ts';
import { clock, shown } from './format.ts';

/** A chart that is drawn again with each sample. */
export interface Plot {
  /** Draws columns: the times, then a column for each line. */
  draw(columns: readonly (readonly (number | null)[])[]): void;
  close(): void;
}

interface PlotInput {
  readonly lines: number;
  readonly unit: SeriesSpec['unit'];
  readonly isLog: boolean;
  /** Called with the place of the sample under the pointer; null: there is none. */
  readonly onCursor: (index: number | null) => void;
}

const HEIGHT = 168;
/** Draws into an element, as wide as that is. */
export function openPlot(place: HTMLElement, input: PlotInput): Plot {
  let plot = new uPlot(optionsOf(place, input), [[]], place);
  let columns: uPlot.AlignedData = [[]];
  const redraw = () => {
    plot.destroy();
    plot = new uPlot(optionsOf(place, input), columns, place);
  };
  const sizes = new ResizeObserver(() => {
    if (plot.width !== place.clientWidth && place.clientWidth > 0) {
      plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }
  });
  sizes.observe(place);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', redraw);
  return {
    draw(drawn) {
      columns = drawn as unknown as uPlot.AlignedData; // the library never writes into them
      plot.setData(columns);
    },
    close() {
      sizes.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

function optionsOf(place: HTMLElement, { lines, unit, isLog, onCursor }: PlotInput): uPlot.Options {
  const colour = (name: string) => getComputedStyle(place).getPropertyValue(name);
  const axis: uPlot.Axis = {
    stroke: colour('--faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${colour('--sans')}`,
  };
  const values: uPlot.Axis.Values = (_, at) =>
    at.map((value) => (value === null ? '' : shown(value, unit)));
  return {
    width: Math.max(place.clientWidth, 200),
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    cursor: { sync: { key: 'time' }, y: false, points: { size: 6 } },
    legend: { show: false },
    scales: { y: isLog ? { distr: 3, range: logRange } : { range: fromZero } },
    axes: [
      { ...axis, size: 26, space: 80, values: (_, at) => at.map((time) => clock(time * 1_000)) },
      isLog
        ? { ...axis, size: 62, values, splits: logSplits, filter: (_, at) => at }
        : { ...axis, size: 62, space: 28, values, incrs: unit === 'bytes' ? POWERS : TENS },
    ],
    series: [
      {},
      ...Array.from(
        { length: lines },
        (_, line): uPlot.Series => ({
          stroke: colour(`--line-${line}`),
          width: 1.5,
          points: { show: false },
        }),
      ),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  };
}

/** Logarithmic axes begin here at the lowest: ten microseconds. */
const LOG_LOW = 1e-5;

const logRange: uPlot.Range.Function = (_, low, high) => [
  Math.max(LOG_LOW, low / 1.5),
  Math.max(high, LOG_LOW * 10) * 1.5,
];

const fromZero: uPlot.Range.Function = (_, _low, high) => [0, high > 0 ? high * 1.1 : 1];

/** Round numbers; the library would draw a line for each digit. */
const LOG_SPLITS = [-5, -4, -3, -2, -1, 0, 1].flatMap((decade) =>
  [1, 3].map((digit) => digit * 10 ** decade),
);
const logSplits = (_plot: uPlot, _axis: number, low: number, high: number) =>
  LOG_SPLITS.filter((at) => at >= low && at <= high);

/** The steps of an axis: sizes are round in powers of two, all else in tens. */
const POWERS = Array.from({ length: 45 }, (_, power) => 2 ** power);
const TENS = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7].flatMap((decade) =>
  [1, 2, 5].map((digit) => Number(`${digit}e${decade}`)),
);
