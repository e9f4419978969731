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
  { what: 'another version', change: { version: 3 } },
])('are refused with $what', ({ change }) => {
  expect(results.safeParse({ ...whole, ...change }).success).toBe(false);
});

test('a file of version 1 is read with the names of today', () => {
  const file = join(temporaryFolder(), 'older.json');
  const of = { case: 'http', metric: 'sends per second', better: 'higher' };
  const mark = { ...of, name: 'half', wanted: 'at least 0.50 of the floor', got: '', value: 1 };
  const figure = { ...figureOf({ case: 'http', values: [1] }), server: 'durable floor' };
  const older = resultsOf([]).benchmarks.map(({ targets, ...benchmark }) => ({
    ...benchmark,
    figures: [{ ...figure, ofFloor: [0.5] }],
    marks: [...targets, { ...mark, isReached: true }],
  }));
  writeFileSync(file, JSON.stringify({ ...whole, version: 1, benchmarks: older }));

  expect(readResults(file)).toMatchObject({
    version: 2,
    benchmarks: [
      {
        figures: [{ server: 'durable baseline', ofBaseline: [0.5] }],
        targets: [{ expected: 'at least 0.50 of the baseline', isMet: true }],
      },
    ],
  });
});

test('a file of something else is refused by its name', () => {
  const file = join(temporaryFolder(), 'other.json');
  writeFileSync(file, '{"version":1}');

  expect(() => readResults(file)).toThrow(/other\.json holds no results of this suite/);
});
