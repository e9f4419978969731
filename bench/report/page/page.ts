import type Plot from 'uplot';
import type { BenchmarkPlots, CasePlots, CurvePlot, Plots } from './data.ts';

// The script of the report: draws what stands in the page as JSON. It loads nothing.

/** Set by the library's own script, which stands before this one. */
declare const uPlot: typeof Plot;

const HEIGHT = 260;
/** As many as style.ts has colours for lines. */
const COLOURS = 6;
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

interface Line {
  readonly label: string;
  /** Lines of one server have one colour. */
  readonly server: string;
  readonly dash: number;
  /** A colour of its own, where all lines of a plot are of one server. */
  readonly colour?: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Drawn {
  readonly title: string;
  readonly hint: string;
  readonly lines: readonly Line[];
  readonly x: Axis;
  readonly y: Axis;
}

interface Axis {
  readonly isLog?: boolean;
  readonly text: (value: number) => string;
  /** The positions of the grid lines; by default the library chooses them. */
  readonly splits?: readonly number[];
  /** Begins at nothing, whatever the values are. */
  readonly fromZero?: boolean;
}

const data = JSON.parse(
  document.getElementById('plots')?.textContent ?? '{"benchmarks":[]}',
) as Plots;
const servers = serversIn(data);
const redraws = new Set<() => void>();

function drawAll(): void {
  for (const section of document.querySelectorAll<HTMLElement>('[data-benchmark]')) {
    const own = data.benchmarks.find(({ name }) => name === section.dataset['benchmark']);
    if (own !== undefined) fill(section, own);
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const redraw of redraws) redraw();
  });
}

function fill(section: HTMLElement, { cases, curves }: BenchmarkPlots): void {
  const place = section.querySelector<HTMLElement>('.curves');
  for (const curve of curves) place?.append(...figureOf(curvePlot(curve)));
  const chooserPlace = section.querySelector<HTMLElement>('.cases');
  if (chooserPlace !== null && cases.length > 0) chooserPlace.append(...caseChooser(cases));
}

/** A list of the cases, and the plot of the one that is chosen. */
function caseChooser(cases: readonly CasePlots[]): readonly HTMLElement[] {
  const heading = element('h3', 'Latencies of one case');
  const chooser = element('label', 'Case: ');
  chooser.className = 'chooser';
  const select = element('select', '');
  for (const { name } of cases) select.append(element('option', name));
  chooser.append(select);
  const plots = element('div', '');
  plots.className = 'plots';
  const show = () => {
    const chosen = cases[select.selectedIndex];
    plots.replaceChildren(...(chosen === undefined ? [] : figureOf(percentilePlot(chosen))));
  };
  // The case with most to see is shown first.
  select.selectedIndex = cases.reduce(
    (best, one, index) => (richness(one) > richness(cases[best]) ? index : best),
    0,
  );
  select.addEventListener('change', show);
  show();
  return [heading, chooser, plots];
}

const richness = (one: CasePlots | undefined) =>
  (one?.latencies ?? []).reduce((sum, { points }) => sum + points.length, 0);

/** As HdrHistogram draws it: each step to the right is a tenth of the requests before. */
function percentilePlot({ latencies }: CasePlots): Drawn {
  const names = [...new Set(latencies.map(({ name }) => name))];
  return {
    title: 'Latency by percentile',
    hint: 'Milliseconds, within which so many percent of the requests were; both axes are logarithmic.',
    lines: latencies.map(({ server, name, points }) => ({
      label: `${server}, ${name}`,
      server,
      dash: names.indexOf(name),
      points: points.map(([percent, ms]) => [1 / (1 - percent / 100), ms] as const),
    })),
    x: {
      isLog: true,
      splits: [1, 2, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
      text: (value) => `${Number((100 * (1 - 1 / value)).toPrecision(7))}`,
    },
    y: { isLog: true, text: short },
  };
}

function curvePlot({ metric, unit, axis, lines }: CurvePlot): Drawn {
  const curves = [...new Set(lines.map(({ curve }) => curve))];
  const isOfOneServer = new Set(lines.map(({ server }) => server)).size === 1;
  const xs = lines.flatMap(({ points }) => points.map(([at]) => at));
  const ys = lines.flatMap(({ points }) => points.map(([, value]) => value));
  return {
    title: `${metric} by ${axis}`,
    hint: unit,
    lines: lines.map(({ server, curve, points }) => ({
      label: `${server}, ${curve}`,
      server,
      dash: curves.indexOf(curve),
      ...(isOfOneServer ? { colour: curves.indexOf(curve) % COLOURS } : {}),
      points,
    })),
    x: { isLog: Math.min(...xs) > 0, text: short, splits: [...new Set(xs)] },
    y: {
      isLog: Math.min(...ys) > 0 && Math.max(...ys) > 50 * Math.min(...ys),
      text: short,
      fromZero: true,
    },
  };
}

function figureOf(drawn: Drawn): readonly HTMLElement[] {
  if (drawn.lines.length === 0) return [];
  const figure = element('figure', '');
  const caption = element('figcaption', drawn.title);
  caption.append(element('small', drawn.hint));
  const keys = element('div', '');
  keys.className = 'keys';
  for (const line of drawn.lines) keys.append(keyOf(line));
  const place = element('div', '');
  // As high as what will be drawn, or drawing would change the size that is observed.
  place.style.height = `${HEIGHT}px`;
  figure.append(caption, keys, place);
  let plot: Plot | undefined;
  const redraw = () => {
    plot?.destroy();
    plot = undefined;
    if (!place.isConnected || place.clientWidth === 0) return;
    plot = new uPlot(optionsOf(drawn, place.clientWidth), dataOf(drawn.lines), place);
  };
  new ResizeObserver(() => {
    if (plot?.width !== place.clientWidth) redraw();
  }).observe(place);
  redraws.add(redraw);
  return [figure];
}

function keyOf({ label, server, dash, colour: own }: Line): HTMLElement {
  const key = element('span', label);
  key.style.setProperty('--key', `var(--line-${own ?? colourOf(server)})`);
  if (dash > 0) key.style.setProperty('--dash', dash === 1 ? 'dashed' : 'dotted');
  return key;
}

function optionsOf({ lines, x, y }: Drawn, width: number): Plot.Options {
  const ink = colour('--faint');
  const axisOf = ({
    text,
    isLog = false,
    splits = isLog ? LOG_SPLITS : undefined,
  }: Axis): Plot.Axis => ({
    stroke: ink,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    values: (_plot, values) => values.map((value) => (value === null ? '' : text(value))),
    ...(splits === undefined
      ? {}
      : { splits: (_plot, _axis, low, high) => splits.filter((at) => at >= low && at <= high) }),
  });
  return {
    width,
    height: HEIGHT,
    scales: { x: scaleOf(x, MARGIN_NONE), y: scaleOf(y, MARGIN) },
    axes: [
      // The library thins out the lines of logarithmic axes unless it is told that all are
      // expected.
      { ...axisOf(x), filter: (_plot, values) => values },
      { ...axisOf(y), size: 64, filter: (_plot, values) => values },
    ],
    series: [
      {},
      ...lines.map(
        ({ label, server, dash, colour: own }): Plot.Series => ({
          label,
          stroke: colour(`--line-${own ?? colourOf(server)}`),
          width: 2,
          dash: [...(DASHES[dash % DASHES.length] ?? [])],
          points: { show: lines.every(({ points }) => points.length < 8) },
        }),
      ),
    ],
    legend: { show: false },
    cursor: { drag: { x: true, y: false } },
  };
}

/** Round numbers: the library begins at the lowest value, and counts in decades from there. */
const LOG_SPLITS = Array.from({ length: 15 }, (_, decade) => decade - 5).flatMap((decade) =>
  [1, 2, 5].map((digit) => digit * 10 ** decade),
);

/** By which the axis is longer than the values, at both ends of a logarithmic one. */
const MARGIN = 1.3;
const MARGIN_NONE = 1;

function scaleOf({ isLog = false, fromZero = false }: Axis, margin: number): Plot.Scale {
  // The library would round to whole decades, and leave half of a plot empty.
  if (isLog) {
    return {
      time: false,
      distr: 3,
      log: 10,
      range: (_plot, low, high) => [low / margin, Math.max(high, low * 2) * margin],
    };
  }
  if (!fromZero) return { time: false };
  return { time: false, range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] };
}

/** Lines with places of their own, in one table: what a line does not have is left out of it. */
function dataOf(lines: readonly Line[]): Plot.AlignedData {
  const tables = lines.map(({ points }): Plot.AlignedData => {
    const sorted = points.toSorted((one, other) => one[0] - other[0]);
    return [sorted.map(([x]) => x), sorted.map(([, y]) => y)];
  });
  // Lines are drawn through values that the library leaves out.
  return uPlot.join(tables);
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);

const colourOf = (server: string) => Math.max(0, servers.indexOf(server)) % COLOURS;

/** Confab and the baseline have the same colours in each plot, and so has each peer. */
function serversIn({ benchmarks }: Plots): readonly string[] {
  const all = benchmarks.flatMap(({ cases, curves }) => [
    ...cases.flatMap(({ latencies }) => latencies.map(({ server }) => server)),
    ...curves.flatMap(({ lines }) => lines.map(({ server }) => server)),
  ]);
  return [...new Set(['confab', 'baseline', ...all])];
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (text !== '') made.textContent = text;
  return made;
}

drawAll();
