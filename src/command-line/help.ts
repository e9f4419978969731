import { type CommandName, type CommandSpec, GROUPS, specOf, usageOf } from './catalogue.ts';

/** A function that makes a text bold where there are colours. */
type Bold = (text: string) => string;

/** Returns the help of a command, of those that begin with a word, or of all. */
export function helpText(about: string | undefined, version: string, bold: Bold): string {
  if (about === undefined) return helpOnAll(version, bold);
  const spec = specOf(about);
  return spec === undefined ? helpOnNoun(about, bold) : helpOn(about as CommandName, spec, bold);
}

function helpOnAll(version: string, bold: Bold): string {
  const groups = Object.entries(GROUPS).map(
    ([title, commands]) => `${bold(title)}\n${summaries(Object.entries(commands), ALL_WIDTH)}`,
  );
  return `confab ${version}: a team-chat server that you run yourself

Usage: confab <command> [options]

${groups.join('\n\n')}

\`confab help <command>\` says what a command takes. The output is a table on a
terminal; in a pipe or with --json it is JSON, one object a line. Settings are
environment variables, such as CONFAB_DATA, the data directory (./data).
`;
}

/** The width of the names in the list of all commands. */
const ALL_WIDTH = 20;

const summaries = (commands: readonly [string, CommandSpec][], width: number) =>
  commands.map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`).join('\n');

function helpOnNoun(noun: string, bold: Bold): string {
  const commands = Object.values(GROUPS)
    .flatMap((group) => Object.entries<CommandSpec>(group))
    .filter(([name]) => name.startsWith(`${noun} `));
  const width = Math.max(...commands.map(([name]) => name.length)) + 2;
  return `${bold(`confab ${noun} …`)}\n\n${summaries(commands, width)}

\`confab help <command>\` says what a command takes.
`;
}

function helpOn(name: CommandName, { summary, options = {}, about }: CommandSpec, bold: Bold) {
  const rows = Object.entries({ ...options, ...COMMON }).map(([option, { value, help }]) => ({
    left: `--${option}${value === undefined ? '' : ` ${value}`}`,
    help,
  }));
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  const described = rows.map(({ left, help }) => `  ${left.padEnd(width)}${help}`).join('\n');
  const more = about === undefined ? '' : `\n${about}\n`;
  return `${bold(`confab ${name}`)} ${summary}.

Usage: confab ${usageOf(name)}

${described}
${more}`;
}

const COMMON: NonNullable<CommandSpec['options']> = {
  json: { help: 'prints JSON on a terminal as well' },
  help: { help: 'prints this text' },
};
