import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../src/command-line/catalogue.ts';
import { withCommands } from '../src/command-line/commands-page.ts';
import { readSettings } from '../src/config.ts';
import { run } from './support/processes/run.ts';
import { startServer } from './support/start-server.ts';

// Pages that people write are held to the code here; those that the program writes are in
// `documentation.test.ts`.

const text = (file: string) => readFileSync(file, 'utf8');

/** Each setting with the default that docs/settings.md names. */
const SETTINGS = Array.from(
  text('docs/settings.md').matchAll(/^\| `(CONFAB_\w+)` +\| (.*?) +\|/gm),
  ([, name = '', usual = '']) => ({ name, usual }),
);

test('docs/settings.md has a row for each setting that the server reads', () => {
  const read = variablesRead();

  expect(read.length).toBeGreaterThan(20);
  expect(SETTINGS.map(({ name }) => name).sort()).toEqual(read.sort());
});

/** The variables that the server asks its environment for. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const get = (_env: object, name: string) => void names.add(name);
  readSettings(new Proxy({}, { get }));
  return [...names];
}

test('the defaults in docs/settings.md are those of the code', () => {
  const literal = SETTINGS.filter(({ usual }) => usual.startsWith('`'));
  const env = Object.fromEntries(literal.map(({ name, usual }) => [name, usual.slice(1, -1)]));

  // The operator who sets a default says that it is meant.
  expect(readSettings(env)).toEqual({ ...readSettings({}), wantsDemo: true });
});

test('docs/command-line.md has every command as the catalogue has it; `npm run docs` writes them', () => {
  const page = text('docs/command-line.md');

  expect(COMMAND_NAMES.length).toBeGreaterThan(30);
  expect(COMMAND_NAMES.filter((name) => !page.includes(`\nconfab ${name}`))).toEqual([]);
  expect(withCommands(page)).toBe(page);
});

test('each command that README and other pages name is in the catalogue', () => {
  const named = ['README.md', ...pagesIn('docs')].flatMap((page) =>
    Array.from(
      text(page).matchAll(/(?:npm run confab --|`confab|\| confab) ((?:[a-z]+ ?){1,2})/g),
      ([, command = '']) => ({ page, command: command.trim() }),
    ),
  );
  const isKnown = (command: string) =>
    COMMAND_NAMES.some((name) => name === command || name === command.split(' ')[0]);

  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ command }) => !isKnown(command))).toEqual([]);
});

test('README fits on two screens', () => {
  expect(text('README.md').split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
});

const README_LINES_MAX = 100;

const pagesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

test('every link from a page to a file leads to one', () => {
  const pages = [
    '.',
    'docs',
    'docs/architecture',
    'docs/decisions',
    'actors',
    'bench',
    'client',
    'test/support',
  ].flatMap(pagesIn);
  const broken = pages.flatMap((page) =>
    Array.from(text(page).matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g), ([, link = '']) => link)
      .filter((link) => !existsSync(join(dirname(page), link)))
      .map((link) => `${page} links ${link}`),
  );

  expect(pages.length).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

test('the index of decisions has each of them exactly once, by its title', () => {
  const listed = Array.from(
    text('docs/decisions/README.md').matchAll(
      /^- \[(\d{4})\]\((.*?)\): (.*?)(?: \(_superseded_.*)?$/gm,
    ),
    ([, number, file, title]) => ({ file, heading: `# ${number}: ${title}` }),
  );
  const decisions = DECISIONS.map(({ file, page }) => ({ file, heading: page.split('\n', 1)[0] }));

  expect(listed.sort(byFile)).toEqual(decisions.sort(byFile));
});

const byFile = (one: { file?: string | undefined }, other: { file?: string | undefined }) =>
  (one.file ?? '') < (other.file ?? '') ? -1 : 1;

const DECISIONS = readdirSync('docs/decisions')
  .filter((name) => name !== 'README.md')
  .map((file) => ({ file, page: text(join('docs/decisions', file)) }));

test.each(DECISIONS)('decision $file has the parts of a decision, in their order', ({ page }) => {
  const parts = Array.from(page.matchAll(/\n\n\*\*(.*?)\*\*/g), ([, part = '']) => part);

  expect(page.match(/^#.*/gm)).toEqual([expect.stringMatching(/^# \d{4}: \S/)]);
  expect(parts).toEqual(PARTS_OF_A_DECISION.filter((part) => parts.includes(part)));
  expect(parts).toEqual(expect.arrayContaining(['Open.', 'Chosen.']));
  expect(page.split('\n').filter((line) => isProse(line) && line.length > COLUMNS_MAX)).toEqual([]);
});

const PARTS_OF_A_DECISION = [
  'Open.',
  'Chosen.',
  'Why.',
  'Not chosen.',
  'Measured.',
  'What follows.',
];

const COLUMNS_MAX = 130;

/** Rows of tables cannot be wrapped, nor can a line that is one word. */
const isProse = (line: string) => !line.startsWith('|') && line.includes(' ');

test('a decision that the index marks as superseded says by which one, before all else', () => {
  const marked = Array.from(
    text('docs/decisions/README.md').matchAll(
      /^- \[\d{4}\]\((.*?)\): .*\(_superseded_.*?\]\((.*?)\)/gm,
    ),
    ([, file, by]) => ({ file, by }),
  );
  const said = DECISIONS.flatMap(({ file, page }) =>
    Array.from(
      page.matchAll(/^# .*\n\n_Superseded (?:in part )?by \[\d{4}\]\((.*?)\)/g),
      ([, by]) => ({ file, by }),
    ),
  );

  expect(said.length).toBeGreaterThan(5);
  expect(marked.sort(byFile)).toEqual(said.sort(byFile));
});

test.each([
  'README.md',
  'docs/contributing.md',
  'docs/architecture.md',
  ...pagesIn('docs/architecture'),
])('the files that %s names are there', (page) => {
  const named = Array.from(
    text(page).matchAll(/`((?:src|actors|storage|test|bench|docs)\/[\w./-]+)`/g),
    ([, file = '']) => file,
  );

  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('the code in docs/contributing.md stands so in the files that it names', () => {
  const page = text('docs/contributing.md');
  const files = Array.from(
    page.matchAll(/`((?:src|storage|test)\/[\w./-]+\.ts)`/g),
    ([, file = '']) => text(file),
  );
  const blocks = Array.from(page.matchAll(/\n```ts\n(.*?\n)```\n/gs), ([, block = '']) => block);

  expect(blocks.length).toBeGreaterThan(3);
  expect(blocks.filter((block) => !files.some((file) => file.includes(block)))).toEqual([]);
});

test('the client of docs/writing-a-client.md runs as the page says', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const blocks = Array.from(
    text('docs/writing-a-client.md').matchAll(/\n```js\n(.*?\n)```\n/gs),
    ([, block = '']) => block,
  );
  const env = { CONFAB_URL: server.url, CONFAB_EMAIL: mel.email, CONFAB_KEY: mel.apiKey };

  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--input-type=module', '--eval', blocks.join('\n')],
    env,
  );

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(
    stdout
      .replace(/event -?\d+/, 'event N')
      .trim()
      .split('\n'),
  ).toEqual([
    'registered at event N',
    'sent once: true',
    'message: <p>soup?</p>',
    'resumed: true',
    'reply: 200',
    'message: <p>bread?</p>',
    'resumed: true',
    'message: <p>tea?</p>',
  ]);
});

test('each line of docs/security.md names tests that are there', () => {
  const lines =
    text('docs/security.md').split('\n## What the server does not')[0]?.split('\n- ') ?? [];
  const shown = lines.slice(1).map((line) => ({
    line: line.split('\n', 1)[0],
    tests: Array.from(
      line.matchAll(/`(test\/[\w./-]+)`: "(.*)"$/gm),
      ([, file = '', title = '']) => ({
        file,
        title,
      }),
    ),
  }));

  expect(shown.length).toBeGreaterThan(50);
  expect(shown.filter(({ tests }) => tests.length === 0)).toEqual([]);
  expect(
    shown
      .flatMap(({ tests }) => tests)
      .filter(({ file, title }) => !existsSync(file) || !text(file).includes(`'${title}'`)),
  ).toEqual([]);
});

test('test/support/README.md has a line for each file, and each file that it names is there', () => {
  const files = readdirSync('test/support', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ parentPath, name }) => join(parentPath, name).slice('test/support/'.length));
  const named = Array.from(
    text('test/support/README.md').matchAll(/^- `(.*?)`: /gm),
    ([, file]) => file,
  );

  expect(named.sort()).toEqual(files.sort());
});
