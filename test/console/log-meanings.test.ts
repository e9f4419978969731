import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOG_MEANINGS, meaningOf } from '../../src/console/log-meanings.ts';

const MEANINGS = Object.entries(LOG_MEANINGS);

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('log-meanings'))
  .map((name) => readFileSync(join('src', name), 'utf8'));

/** Texts are the last argument of a call such as `log.warn({ freeBytes }, 'the disk is full')`. */
const LOGGED = /\blog\s*\.(?:debug|info|warn|error|fatal)\((?:\s*\{[^{}]*\},)?\s*'([^']+)',?\s*\)/g;

const logged = sources.flatMap((source) =>
  Array.from(source.matchAll(LOGGED), ([, text = '']) => text),
);

test('each text that the sources log has a meaning', () => {
  expect(logged.length).toBeGreaterThan(20);
  expect(logged.filter((text) => meaningOf(text) === '')).toEqual([]);
});

test('each meaning is of a text in the sources', () => {
  const said = sources.map((source) => source.replace(/' \+\s*'/g, '')).join('\n');
  expect(MEANINGS.filter(([text]) => !said.includes(text))).toEqual([]);
});

test('docs/console.md has all of them', () => {
  const page = readFileSync('docs/console.md', 'utf8');
  const missing = MEANINGS.filter(([text, why]) => !page.includes(`- _${text}_: ${why}\n`));
  expect(missing).toEqual([]);
});
