import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS_HERE } from '../../src/admin/commands.ts';
import { COMMAND_NAMES } from '../../src/command-line/catalogue.ts';
import { CommandError } from '../../src/command-line/exit-codes.ts';
import { helpText } from '../../src/command-line/help.ts';
import { IMPORT_FORMATS } from '../../src/command-line/import-formats.ts';
import { wantedBy } from '../../src/command-line/words.ts';

test('each command has a place where it runs, and each that runs is in the catalogue', () => {
  const elsewhere = ['serve', 'demo', 'status', 'console', 'doctor', 'completion', 'help'];
  const ofNodes = COMMAND_NAMES.filter((name) => name.startsWith('cluster '));
  expect(ofNodes).toHaveLength(12);
  // They run in the process of the command, which asks the server for steps.
  const imports = COMMAND_NAMES.filter((name) => name.startsWith('import '));
  expect([...imports].sort()).toEqual(IMPORT_FORMATS.map((format) => `import ${format}`));
  expect([...COMMAND_NAMES].sort()).toEqual(
    [...COMMANDS_HERE, ...elsewhere, ...ofNodes, ...imports].sort(),
  );
});

test.each([
  { words: ['realm', 'list'], name: 'realm list', args: {} },
  { words: ['realm', 'create', 'acme', '--title', 'A'], name: 'realm create', args: { name: 'acme', title: 'A' } },
  { words: ['realm', 'delete', '--yes', 'acme'], name: 'realm delete', args: { name: 'acme', yes: true } },
  { words: ['realm', 'set', '--setting=x', '--value=[1]'], name: 'realm set', args: { setting: 'x', value: [1] } },
  { words: ['backup', 'create', '--to', 'b'], name: 'backup create', args: { to: resolve('b') } },
  { words: ['status'], name: 'status', args: {} },
  { words: ['cluster', 'verify', '--shard', '3'], name: 'cluster verify', args: { shard: '3' } },
  { words: ['cluster', 'upgrade'], name: 'cluster upgrade', args: {} },
  { words: ['completion', 'bash'], name: 'completion', args: { name: 'bash' } },
])('$words is a command with its arguments', ({ words, name, args }) => {
  expect(wantedBy(words)).toEqual({ kind: 'command', name, args, isJson: false });
  expect(wantedBy([...words, '--json'])).toEqual({ kind: 'command', name, args, isJson: true });
  expect(wantedBy(['--json', ...words])).toEqual({ kind: 'command', name, args, isJson: true });
}); // biome-ignore format: a table

test.each([
  { words: ['relam', 'list'], says: "there is no command 'relam list'; did you mean `confab realm list`?" },
  { words: ['stauts'], says: "there is no command 'stauts'; did you mean `confab status`?" },
  { words: ['user', 'crate', '--email', 'a'], says: "there is no command 'user crate'; did you mean `confab user create`?" },
  { words: ['frobnicate'], says: "there is no command 'frobnicate'; `confab help` lists the commands" },
  { words: ['--frobnicate'], says: "there is no command '--frobnicate'; `confab help` lists the commands" },
  { words: ['help', 'usr', 'list'], says: "there is no command 'usr list'; did you mean `confab user list`?" },
  { words: ['key'], says: "'key' needs one of: create" },
  { words: ['user', 'list', '--raelm', 'x'], says: "'user list' has no option --raelm; did you mean --realm?" },
  { words: ['user', 'list', '--colour', 'x'], says: "'user list' has no option --colour; usage: confab user list [--realm <realm>]" },
  { words: ['user', 'list', 'acme'], says: "'user list' does not take 'acme'" },
  { words: ['realm', 'create', 'a', 'b'], says: "'realm create' does not take 'b'" },
  { words: ['realm', 'create'], says: "'realm create' needs <name>. Usage: confab realm create <name> [--title <text>]" },
  { words: ['realm', 'delete', 'acme'], says: "'realm delete' needs --yes. Usage: confab realm delete <name> --yes" },
  { words: ['realm', 'set', '--setting', 'x', '--value', '{'], says: '--value is not JSON: {' },
])('$words is refused in one line that helps, as a wrong usage', ({ words, says }) => {
  expect(() => wantedBy(words)).toThrow(new CommandError(says, 2));
}); // biome-ignore format: a table

test.each([[], ['--help'], ['-h'], ['help'], ['help', '--help']])(
  'the help of all commands is asked for by %j',
  (...words) => {
    expect(wantedBy(words.filter((word) => word !== undefined))).toEqual({ kind: 'help' });
  },
);

test.each([
  { words: ['help', 'user', 'role'], about: 'user role' },
  { words: ['user', 'role', '--help'], about: 'user role' },
  { words: ['user', 'role', '--email', 'a', '-h'], about: 'user role' },
  { words: ['user', '--help'], about: 'user' },
  { words: ['help', 'user'], about: 'user' },
  { words: ['help', 'serve'], about: 'serve' },
])('$words asks for help on $about', ({ words, about }) => {
  expect(wantedBy(words)).toEqual({ kind: 'help', about });
});

test('the help of all names every command, and that of each names all that it takes', () => {
  const plain = (text: string) => text;
  const all = helpText(undefined, '1.2.3', plain);
  expect(all).toMatch(/^confab 1\.2\.3: /);
  expect(COMMAND_NAMES.filter((name) => !all.includes(`\n  ${name} `))).toEqual([]);
  expect(all.split('\n').filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(
    helpText('user role', '1.2.3', plain),
  ).toBe(`confab user role gives an account another role.

Usage: confab user role --email <address> --role <role> [--realm <realm>]

  --email <address>  the mail address
  --role <role>      owner, administrator, moderator, member, guest
  --realm <realm>    the realm; otherwise the only one there is, or demo
  --json             prints JSON on a terminal as well
  --help             prints this text
`);
  expect(helpText('backup', '1.2.3', plain)).toMatch(/backup create .*backup restore /s);
});

test('the help of the commands that compare and upgrade a cluster says what their answers mean', () => {
  const plain = (text: string) => text;
  expect(
    helpText('cluster verify', '1.2.3', plain),
  ).toBe(`confab cluster verify compares the copies of realms at all nodes.

Usage: confab cluster verify [--shard <number>]

  --shard <number>  only this shard; otherwise all
  --json            prints JSON on a terminal as well
  --help            prints this text

Exit code 0: all copies are the same; 1: some differ, or could not be compared.
Nobody waits for it. docs/cluster.md says what to do with a copy that differs.
`);
  expect(helpText('cluster upgrade', '1.2.3', plain)).toMatch(/refuses while a node runs another/);
});

/** The usual width of a terminal. */
const COLUMNS = 80;
