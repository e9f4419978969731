import { parseArgs } from 'node:util';

/**
 * An option of a benchmark: what it means, what it is when nobody says, and how its text is read.
 */
interface Option<Value> {
  readonly meaning: string;
  readonly default: string;
  /** The value under `--quick`, if it differs. */
  readonly quick: string | undefined;
  readonly parse: (text: string) => Value;
}

// Options of every type of value stand in one declaration; each is read by its own `parse`.
// biome-ignore lint/suspicious/noExplicitAny: the type of a value is inferred from each option.
export type Options = Readonly<Record<string, Option<any>>>;

export type Values<Declared extends Options> = {
  readonly [Name in keyof Declared]: ReturnType<Declared[Name]['parse']>;
};

/**
 * Options of all benchmarks on the command line. A benchmark's own option of the same name would
 * never get its value.
 */
export const COMMON_OPTIONS = [
  'repeats',
  'url',
  'credentials',
  'messages',
  'results',
  'compare',
] as const;

export class WrongOption extends Error {}

interface Declaration<Value> {
  readonly meaning: string;
  readonly default: Value;
  readonly quick?: Value;
}

function option<Value>(
  { meaning, default: usual, quick }: Declaration<Value>,
  { write, parse }: { write: (value: Value) => string; parse: (text: string) => Value },
): Option<Value> {
  return {
    meaning,
    default: write(usual),
    quick: quick === undefined ? undefined : write(quick),
    parse,
  };
}

export const number = (declared: Declaration<number>): Option<number> =>
  option(declared, { write: String, parse: numberIn });

/** Several, by commas. */
export const numbers = (declared: Declaration<readonly number[]>): Option<readonly number[]> =>
  option(declared, {
    write: (list) => list.join(','),
    parse: (text) => partsOf(text).map(numberIn),
  });

/** Some of a few words, by commas. */
export const words = <Word extends string>(
  allowed: readonly Word[],
  declared: Declaration<readonly Word[]>,
): Option<readonly Word[]> =>
  option(declared, {
    write: (list) => list.join(','),
    parse: (text) =>
      partsOf(text).map((part) => {
        const word = allowed.find((one) => one === part);
        if (word === undefined) throw new WrongOption(`${part} is none of ${allowed.join(', ')}`);
        return word;
      }),
  });

export const text = (declared: Declaration<string>): Option<string> =>
  option(declared, { write: (value) => value, parse: (value) => value });

function numberIn(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new WrongOption(`${JSON.stringify(text)} is not a number from 0`);
  }
  return value;
}

const partsOf = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Returns the chosen options, in the words of the command line. */
export type Chosen = Readonly<Record<string, string>>;

/** The texts of all options: the chosen, else the quick, else the usual ones. */
export function texts(declared: Options, chosen: Chosen, isQuick: boolean): Chosen {
  for (const name of Object.keys(chosen)) {
    if (declared[name] === undefined) throw new WrongOption(`there is no option --${name}`);
  }
  return Object.fromEntries(
    Object.entries(declared).map(([name, { default: usual, quick }]) => [
      name,
      chosen[name] ?? (isQuick ? quick : undefined) ?? usual,
    ]),
  );
}

export function valuesOf<Declared extends Options>(
  declared: Declared,
  written: Chosen,
): Values<Declared> {
  const entries = Object.entries(declared).map(([name, { parse }]) => {
    try {
      return [name, parse(written[name] ?? '')];
    } catch (error) {
      if (error instanceof WrongOption) throw new WrongOption(`--${name}: ${error.message}`);
      throw error;
    }
  });
  // Each name of the declaration has what its own `parse` made.
  return Object.fromEntries(entries) as Values<Declared>;
}

/** Reads a command line that may have any of these, each with a value; flags have none. */
export function readCommandLine(
  line: readonly string[],
  { valued, flags }: { valued: readonly string[]; flags: readonly string[] },
): { readonly names: readonly string[]; readonly chosen: Chosen; readonly set: Set<string> } {
  const types = [
    ...valued.map((name) => [name, { type: 'string' }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ];
  try {
    const { values, positionals } = parseArgs({
      args: [...line],
      allowPositionals: true,
      options: Object.fromEntries(types),
    });
    const chosen: Record<string, string> = {};
    const set = new Set<string>();
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') chosen[name] = value;
      else set.add(name);
    }
    return { names: positionals, chosen, set };
  } catch (error) {
    throw new WrongOption(error instanceof Error ? error.message : String(error));
  }
}

const COLUMN = 24;

export function helpOf(declared: Options): string {
  return Object.entries(declared)
    .map(([name, { meaning, default: usual, quick }]) => {
      const beside = quick === undefined ? usual : `${usual}; quick: ${quick}`;
      return `  ${`--${name} <…>`.padEnd(COLUMN)}${meaning} (${beside || 'none'})`;
    })
    .join('\n');
}
