import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nearest } from '../domain/rules/texts/nearest.ts';
import { COMMAND_NAMES, type CommandName, type CommandSpec, specOf, usageOf } from './catalogue.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** The wish of the operator, as far as the words say it. */
export type Wanted =
  | { readonly kind: 'version' }
  /** The help of one command or of those that begin alike; without a name, that of all. */
  | { readonly kind: 'help'; readonly about: string | undefined }
  | {
      readonly kind: 'command';
      readonly name: CommandName;
      readonly args: Readonly<Record<string, unknown>>;
      /** True if the output is to be JSON on a terminal as well. */
      readonly isJson: boolean;
    };

const usageError = (message: string) => new CommandError(message, EXIT.usage);

/** Reads the words of a command line. Refuses with a `CommandError`. */
export function wantedBy(words: readonly string[]): Wanted {
  const isJson = words[0] === '--json';
  const [first, second, ...rest] = isJson ? words.slice(1) : words;
  if (first === undefined || first === '--help' || first === '-h') {
    return { kind: 'help', about: undefined };
  }
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === 'help') return helpOn([second, ...rest].filter((word) => word !== undefined));
  const { name, left } = named(first, second, rest);
  if (isHelpAsked(left)) return helpOn(name.split(' '));
  const { args, isJson: isJsonGiven } = argsIn(name, specOf(name) ?? { summary: '' }, left);
  return { kind: 'command', name, args, isJson: isJson || isJsonGiven };
}

const isHelpAsked = (left: readonly string[]) => left.includes('--help') || left.includes('-h');

function helpOn(words: readonly string[]): Wanted {
  const about = words.filter((word) => !word.startsWith('-')).join(' ');
  if (about === '') return { kind: 'help', about: undefined };
  if (!COMMAND_NAMES.some((name) => name === about || name.startsWith(`${about} `))) {
    throw unknown(about);
  }
  return { kind: 'help', about };
}

function named(first: string, second: string | undefined, rest: readonly string[]) {
  if (second !== undefined && specOf(`${first} ${second}`) !== undefined) {
    return { name: `${first} ${second}` as CommandName, left: rest };
  }
  const left = second === undefined ? rest : [second, ...rest];
  if (specOf(first) !== undefined) return { name: first as CommandName, left };
  const verbs = verbsOf(first);
  if (verbs.length === 0) throw unknown(first.startsWith('-') ? first : `${first} ${second ?? ''}`);
  if (second === undefined) throw usageError(`'${first}' needs one of: ${verbs.join(', ')}`);
  // The help of those that begin alike: `confab realm --help`.
  if (isHelpAsked([second])) return { name: first as CommandName, left: [second] };
  throw unknown(`${first} ${second}`);
}

const verbsOf = (noun: string) =>
  COMMAND_NAMES.filter((name) => name.startsWith(`${noun} `)).map((name) =>
    name.slice(noun.length + 1),
  );

/** A command of one word may be meant by the first of two. */
function unknown(typed: string): CommandError {
  const whole = typed.trim();
  const [first = ''] = whole.split(' ');
  const meant = nearest(whole, COMMAND_NAMES) ?? nearest(first, COMMAND_NAMES);
  const hint =
    meant === undefined ? '`confab help` lists the commands' : `did you mean \`confab ${meant}\`?`;
  return usageError(`there is no command '${whole}'; ${hint}`);
}

function argsIn(name: CommandName, spec: CommandSpec, words: readonly string[]) {
  const { operand, options = {} }: CommandSpec = spec;
  const { values, positionals } = parsed(name, options, words);
  const [given, ...stray] = positionals;
  const unexpected = operand === undefined ? given : stray[0];
  if (unexpected !== undefined) throw usageError(`'${name}' does not take '${unexpected}'`);
  if (operand?.isRequired && given === undefined) throw missing(name, operand.value);
  const { json, ...own }: Readonly<Record<string, unknown>> = values;
  for (const [option, { isRequired }] of Object.entries(options)) {
    if (isRequired && own[option] === undefined) throw missing(name, `--${option}`);
  }
  const read = Object.entries(own).map(([option, text]) => {
    const how = options[option]?.as;
    if (how === 'path') return [option, resolve(String(text))];
    if (how === 'place') return [option, placeIn(String(text))];
    return [option, how === 'json' ? jsonIn(option, String(text)) : text];
  });
  const args: Record<string, unknown> = Object.fromEntries(read);
  return {
    args: given === undefined ? args : { ...args, name: given },
    isJson: json === true,
  };
}

const placeIn = (address: string) => (address.startsWith('s3://') ? address : resolve(address));

const missing = (name: CommandName, what: string) =>
  usageError(`'${name}' needs ${what}. Usage: confab ${usageOf(name)}`);

function parsed(
  name: CommandName,
  options: NonNullable<CommandSpec['options']>,
  words: readonly string[],
) {
  const known = Object.entries(options).map(
    ([option, { value }]) =>
      [option, { type: value === undefined ? 'boolean' : 'string' } as const] as const,
  );
  try {
    return parseArgs({
      args: [...words],
      options: { ...Object.fromEntries(known), json: { type: 'boolean' } },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageError(faultIn(name, options, error as Error));
  }
}

function faultIn(name: CommandName, options: object, { message }: Error): string {
  const [, option] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
  if (option === undefined) return message.split('\n', 1)[0] ?? message;
  const names = [...Object.keys(options), 'json', 'help'];
  const meant = nearest(option.replace(/^-+/, ''), names);
  const hint = meant === undefined ? `usage: confab ${usageOf(name)}` : `did you mean --${meant}?`;
  return `'${name}' has no option ${option}; ${hint}`;
}

function jsonIn(option: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`--${option} is not JSON: ${text}`);
  }
}
