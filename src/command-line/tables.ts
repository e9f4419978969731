import { displayWidth, printable } from './display-width.ts';

/** A terminal by its abilities. */
export interface Terminal {
  readonly columns: number;
  readonly hasColours: boolean;
}

export type Row = Readonly<Record<string, unknown>>;

const SEPARATOR = '  ';

/** A cell of a table; its colour takes no columns. */
interface Cell {
  readonly text: string;
  readonly colour?: Colour | undefined;
  readonly isNumber: boolean;
}

export type Colour = keyof typeof COLOURS;

const COLOURS = {
  bold: ['\u001b[1m', '\u001b[22m'],
  dim: ['\u001b[2m', '\u001b[22m'],
  red: ['\u001b[31m', '\u001b[39m'],
  green: ['\u001b[32m', '\u001b[39m'],
  yellow: ['\u001b[33m', '\u001b[39m'],
} as const;

export function coloured(text: string, colour: Colour | undefined, { hasColours }: Terminal) {
  if (!hasColours || colour === undefined || text === '') return text;
  const [on, off] = COLOURS[colour];
  return `${on}${text}${off}`;
}

/**
 * Returns rows as an aligned table, with the columns in the order in which they are first seen. A
 * table that is wider than the terminal is shown row by row.
 */
export function table(rows: readonly Row[], terminal: Terminal): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  const widths = names.map((name, column) =>
    Math.max(displayWidth(title(name)), ...cells.map((row) => displayWidth(textIn(row, column)))),
  );
  const total = widths.reduce((sum, width) => sum + width + SEPARATOR.length, -SEPARATOR.length);
  if (total > terminal.columns) {
    return rows.map((row) => record(row, terminal)).join('\n');
  }
  const head = names.map((name, column) => ({
    text: title(name),
    colour: 'bold' as const,
    isNumber: cells.every((row) => row[column]?.isNumber ?? false),
  }));
  return [head, ...cells].map((row) => `${line(row, widths, terminal)}\n`).join('');
}

const textIn = (row: readonly Cell[], column: number) => row[column]?.text ?? '';

function line(row: readonly Cell[], widths: readonly number[], terminal: Terminal): string {
  const texts = row.map(({ text, colour, isNumber }, column) => {
    const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(text)));
    const shown = coloured(text, colour, terminal);
    if (isNumber) return blanks + shown;
    return column === row.length - 1 ? shown : shown + blanks;
  });
  return texts.join(SEPARATOR).trimEnd();
}

/** Returns one row as lines of a name and a value. */
export function record(row: Row, terminal: Terminal): string {
  const lines = Object.entries(row).map(([name, value]) => ({
    name: title(name),
    ...cellOf(name, value),
  }));
  const width = Math.max(0, ...lines.map(({ name }) => displayWidth(name)));
  return lines
    .map(
      ({ name, text, colour }) =>
        `${coloured(name, 'dim', terminal)}${' '.repeat(width - displayWidth(name))}${SEPARATOR}${coloured(text, colour, terminal)}\n`,
    )
    .join('');
}

const title = (name: string) => name.replaceAll('_', ' ');

function cellOf(name: string, value: unknown): Cell {
  if (value === true) return { text: 'yes', isNumber: false };
  if (value === false) return { text: 'no', colour: 'dim', isNumber: false };
  if (Array.isArray(value)) {
    return cellOf(name, value.map((one) => cellOf(name, one).text).join(', '));
  }
  if (value === null || value === undefined || value === '') {
    return { text: '-', colour: 'dim', isNumber: false };
  }
  if (typeof value === 'number') {
    return { text: /bytes$/.test(name) ? sizeOf(value) : String(value), isNumber: true };
  }
  const text = typeof value === 'string' ? shortTime(value) : JSON.stringify(value);
  return { text: printable(text), colour: COLOUR_OF[text], isNumber: false };
}

/** Shortens a time to `2026-01-05 03:15:00Z`; other texts stay as they are. */
const shortTime = (text: string) =>
  text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2Z');

/** Returns a size with its unit: `75.1 GiB`. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * step);
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`;
}

/** Words by which a line is found among many. */
const COLOUR_OF: Readonly<Record<string, Colour>> = {
  ok: 'green',
  ready: 'green',
  warn: 'yellow',
  starting: 'yellow',
  deactivated: 'yellow',
  fail: 'red',
  'not served': 'red',
  stopped: 'red',
};
