import { numberText } from '../suite/texts.ts';
import { html, raw } from './html.ts';
import type { CurvePlot } from './page/data.ts';

const WIDTH = 720;
const HEIGHT = 340;
const LEFT = 70;
const TOP = 40;
const RIGHT = 150;
const BOTTOM = 50;
/** Lines of one server have one colour, which is readable on white, and another one on black. */
const COLOURS = [
  { light: '#2563c9', dark: '#6b9df5' },
  { light: '#6b7078', dark: '#9aa0aa' },
  { light: '#b0590a', dark: '#e08b3c' },
  { light: '#7a4fc4', dark: '#aa8af0' },
] as const;
/** Names of lines need this much room below each other. */
const NAME_HEIGHT = 15;

/**
 * A plot of the report as a picture that documents can show. Its axes are logarithmic; the one
 * below is even if it begins at nothing.
 */
export function curveSvg({ metric, axis, lines }: CurvePlot): string {
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(([at]) => at);
  const x = (Math.min(...xs) > 0 ? scale : evenScale)(xs, LEFT, WIDTH - RIGHT);
  const y = scale(
    points.map(([, value]) => value),
    HEIGHT - BOTTOM,
    TOP,
  );
  const servers = [...new Set(lines.map(({ server }) => server))];
  const names = apart(lines.map((line) => y.at(line.points.at(-1)?.[1] ?? 1)));
  const drawn = lines.map(({ server, curve, points: own }, index) => {
    const colour = COLOURS[servers.indexOf(server) % COLOURS.length]?.light ?? 'gray';
    const path = own.map(([at, value]) => `${x.at(at)},${y.at(value)}`).join(' ');
    return html`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>
<text x="${WIDTH - RIGHT + 8}" y="${names[index] ?? 0}" fill="${colour}">${curve === '' ? server : `${server}, ${curve}`}</text>
`;
  });
  const columns = x.marks.map((at) => {
    const left = x.at(at);
    return html`<line x1="${left}" x2="${left}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>
<text x="${left}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${at.toLocaleString('en')}</text>
`;
  });
  const rows = y.marks.map((value) => {
    const height = y.at(value);
    return html`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${height}" y2="${height}"/>
<text x="${LEFT - 8}" y="${height + 4}" text-anchor="end">${numberText(value)}</text>
`;
  });
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>${metric} by ${axis}</title>
${raw(STYLE)}
<text x="${LEFT}" y="22" font-size="14">${metric}</text>
${columns}${rows}<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${axis}</text>
${drawn}</svg>
`.markup;
}

const IN_THE_DARK = COLOURS.map(
  ({ light, dark }) =>
    `[stroke="${light}"] { stroke: ${dark}; } [fill="${light}"] { fill: ${dark}; }`,
);

const STYLE = `<style>line { stroke: #8884; } text:not([fill]) { fill: #555; }
@media (prefers-color-scheme: dark) { text:not([fill]) { fill: #bbb; }
${IN_THE_DARK.join('\n')} }</style>`;

interface Scale {
  readonly at: (value: number) => number;
  /** The values that have a line: powers of ten, or each of an even scale. */
  readonly marks: readonly number[];
}

function scale(values: readonly number[], from: number, to: number): Scale {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    at: (value) => Math.round(from + ((Math.log10(value) - first) / (last - first)) * (to - from)),
    marks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
  };
}

function evenScale(values: readonly number[], from: number, to: number): Scale {
  const last = Math.max(1, ...values);
  return {
    at: (value) => Math.round(from + (value / last) * (to - from)),
    marks: [...new Set(values)],
  };
}

/** The heights in their order, moved so that no name hides another. */
function apart(heights: readonly number[]): readonly number[] {
  const moved: number[] = [];
  let lowest = -NAME_HEIGHT;
  for (const [index, height] of [...heights.entries()].sort(([, one], [, other]) => one - other)) {
    lowest = Math.max(height + 4, lowest + NAME_HEIGHT);
    moved[index] = lowest;
  }
  return moved;
}
