import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { SERVICE_VERSION } from '../src/domain/version.ts';

// CI types the lines of docs/operating.md, and tests start what its files are for; here it is held
// to that: a block that nothing runs is found.

const PAGE = readFileSync('docs/operating.md', 'utf8');
const TYPED = readFileSync('.ci/packages', 'utf8');
const PROXIES = readFileSync('test/support/processes/proxies.ts', 'utf8');
const ACCESS_LOG = readFileSync('test/transport/access-log.test.ts', 'utf8');

const BLOCKS = Array.from(
  PAGE.matchAll(/^```(\S*)(?: (\S+))?\n(.*?\n)```$/gms),
  ([, language = '', name, text = '']) => ({ language, name, text }),
);

/** Blocks that only name settings. */
const SETTINGS = BLOCKS.filter(({ language, name }) => language === 'sh' && name === undefined);

test('each block of docs/operating.md is run', () => {
  const isRun = ({ language, name, text }: (typeof BLOCKS)[number]) =>
    name === undefined
      ? language === 'sh'
        ? /^(?:CONFAB_\w+=\S+\n)+$/.test(text)
        : PROXIES.includes(`blockOf('${language}')`) || ACCESS_LOG.includes(`\`\`\`${language}`)
      : new RegExp(`block (?:')?${name}\\b`).test(TYPED);

  expect(BLOCKS.length).toBeGreaterThan(15);
  expect(BLOCKS.filter((block) => !isRun(block))).toEqual([]);
});

test('no two blocks have one name', () => {
  const names = BLOCKS.map(({ name }) => name).filter((name) => name !== undefined);
  expect(new Set(names).size).toBe(names.length);
});

test.each(SETTINGS)('a server takes the settings $text', ({ text }) => {
  const env = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2)),
  ) as Record<string, string>;

  expect(Object.keys(env).length).toBeGreaterThan(1);
  expect(() => readSettings(env)).not.toThrow();
});

test('the files that it installs are of this version', () => {
  const versions = Array.from(
    PAGE.matchAll(/confab(?:-npm)?[-_](\d+\.\d+\.\d+)[-_]/g),
    ([, version]) => version,
  );
  const later = '0.2.0';

  expect(versions.length).toBeGreaterThan(5);
  expect(new Set(versions)).toEqual(new Set([SERVICE_VERSION, later]));
});
