import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory, readResults, writeResults } from '../../bench/suite/files.ts';
import { results } from '../../bench/suite/results.ts';
import { figureOf, resultsOf } from '../support/bench-results.ts';
import { temporaryFolder } from '../support/scratch.ts';

const whole = resultsOf([figureOf({ case: 'http', values: [1, 2, 3], baselines: [2, 4, 6] })]);

test('results are read as they were written', () => {
  const file = join(makeDirectory(temporaryFolder(), whole.startedAt), 'results.json');

  writeResults(file, whole);

  expect(file).toContain('2026-11-21T10-00-00');
  expect(readResults(file)).toEqual(whole);
});

test.each([
  { what: 'a figure that is no number', change: { repeats: Number.NaN } },
  { what: 'a field that nobody declared', change: { weather: 'fine' } },
  { what: 'another version', change: { version: 1 } },
])('are refused with $what', ({ change }) => {
  expect(results.safeParse({ ...whole, ...change }).success).toBe(false);
});

test('a file of something else is refused by its name', () => {
  const file = join(temporaryFolder(), 'other.json');
  writeFileSync(file, '{"version":1}');

  expect(() => readResults(file)).toThrow(/other\.json holds no results of this suite/);
});
