import uPlot from 'uplot';
import type { SeriesSpec } from '../../src/console/wire.ts';
import { shown } from './format.ts';

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
/** Logarithmic axes begin here: ten microseconds. */
const LOG_LOW = 1e-5;

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
  return {
    width: Math.max(place.clientWidth, 200),
    height: HEIGHT,
    padding: [8, 4, 0, 0],
    cursor: { sync: { key: 'time' }, y: false, points: { size: 6 } },
    legend: { show: false },
    scales: {
      y: isLog
        ? {
            distr: 3,
            range: (_, low, high) => [
              Math.max(LOG_LOW, low / 1.3),
              Math.max(high, LOG_LOW * 10) * 1.3,
            ],
          }
        : { range: (_, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 24, space: 70 },
      {
        ...axis,
        size: 62,
        space: 26,
        values: (_, values) => values.map((value) => (value === null ? '' : shown(value, unit))),
      },
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
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)],
    },
  };
}
