import { layoutOf } from './layouts.ts';
import { coloured, type Row, record, type Terminal, table } from './tables.ts';

export interface Output {
  /** Prints all that a command answers. */
  answer(command: string, lines: readonly object[]): void;
  /** Prints one line of a command that goes on. */
  line(line: object): void;
}

/** Prints JSON, one object a line, or tables on a terminal. */
export function openOutput(isJson: boolean): Output {
  const print = (text: string) => process.stdout.write(text);
  const json = (line: object) => print(`${JSON.stringify(line)}\n`);
  if (isJson || !process.stdout.isTTY) {
    return { answer: (_, lines) => lines.forEach(json), line: json };
  }
  const terminal = terminalHere();
  return {
    answer: (command, lines) => print(shown(command, lines as readonly Row[], terminal)),
    line: (line) => print(shownLine(line as Row, terminal)),
  };
}

/** Node itself respects NO_COLOR and a TERM without colours. */
export const terminalHere = (): Terminal => ({
  columns: process.stdout.columns ?? 80,
  hasColours: process.stdout.isTTY && process.stdout.hasColors(),
});

/** Returns the output of a command as a terminal shows it. */
export function shown(command: string, lines: readonly Row[], terminal: Terminal): string {
  const {
    isList,
    hasTotals = false,
    row = (given) => given,
    nothing = '',
    after = () => '',
  } = layoutOf(command);
  if (hasTotals && lines.length > 0) {
    const totals = record(row(lines[0] ?? {}), terminal);
    return lines.length === 1 ? totals : `${totals}\n${table(lines.slice(1).map(row), terminal)}`;
  }
  const rows = lines.map(row);
  if (!isList) return rows.map((one) => record(one, terminal)).join('\n') + after(lines);
  if (rows.length === 0) return `${nothing}\n`;
  return table(rows, terminal) + after(lines);
}

/** Shows one line of a check: a fault, or what was checked of a realm. */
export function shownLine(line: Row, terminal: Terminal): string {
  const { is_sound, realm, realm_id, table: name, what, where, ...rest } = line;
  const title = String(realm ?? `realm ${realm_id}`);
  if (is_sound === undefined) {
    const text = [title, name, what, where].filter((part) => part !== undefined).join('  ');
    return `${coloured('fail', 'red', terminal)}  ${text}\n`;
  }
  const counts = Object.entries(rest)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${Number(value).toLocaleString('en-US')} ${key}`)
    .join(', ');
  const word = is_sound ? coloured('ok', 'green', terminal) : coloured('fail', 'red', terminal);
  return `${word}${is_sound ? '  ' : ''}  ${title}: ${counts}\n`;
}
