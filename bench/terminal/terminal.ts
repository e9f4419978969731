import { Presets, SingleBar } from 'cli-progress';

export type Cell = string | number;

/** Columns as wide as their widest cell; numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map(
    (_, column) =>
      rows.length > 0 && rows.every((row) => /^([-+]?\d|–|$)/.test(String(row[column]))),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a command; what it cannot go on after is said in one line, and ends with 1. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    // Not by itself: load processes and servers would keep it alive.
    process.exit(1);
  }
}

export function rounded(value: number, digits = 0): string {
  return value.toFixed(digits);
}

interface Progress {
  readonly set: (value: number, text: string) => void;
  readonly stop: () => void;
}

// On a terminal the bar is redrawn; in a log it is a line now and then.
const LOG_LINE_EVERY_MS = 10_000;

/** Returns the progress bar of one thing that is counted. */
export function progressBar(total: number): Progress {
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% {value}/{total} | {eta_formatted} left | {text}',
      noTTYOutput: true,
      notTTYSchedule: LOG_LINE_EVERY_MS,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { text: '' });
  return {
    set: (value, text) => bar.update(value, { text }),
    stop: () => bar.stop(),
  };
}
