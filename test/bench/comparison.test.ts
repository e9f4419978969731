import { expect, test } from 'vitest';
import { compare, regressions } from '../../bench/suite/comparison.ts';
import { figureOf, resultsOf } from '../support/bench-results.ts';

test('a figure that is worse in every repeat is a regression', () => {
  const before = resultsOf([figureOf({ case: 'http', values: [100, 110, 120] })]);
  const now = resultsOf([figureOf({ case: 'http', values: [50, 55, 60] })]);

  const comparison = compare(before, now);

  expect(comparison.figures).toMatchObject([
    { benchmark: 'send', case: 'http', before: 110, now: 55, ratio: 0.5, verdict: 'worse' },
  ]);
  expect(regressions(comparison)).toHaveLength(1);
});

test('where both runs have a baseline, what it is of the baseline decides: a slower machine is no regression', () => {
  const baselines = [200, 220, 240];
  const slower = [100, 110, 120];
  const before = resultsOf([figureOf({ case: 'http', values: [100, 110, 120], baselines })]);
  const now = resultsOf([figureOf({ case: 'http', values: [50, 55, 60], baselines: slower })]);

  const { figures } = compare(before, now);

  expect(figures).toMatchObject([
    { ratio: 0.5, ofBaseline: { before: 0.5, now: 0.5 }, verdict: 'same' },
  ]);
});

test('the baseline and peers are not judged', () => {
  const before = resultsOf([figureOf({ case: 'http', server: 'baseline', values: [9, 9, 9] })]);
  const now = resultsOf([figureOf({ case: 'http', server: 'baseline', values: [1, 1, 1] })]);

  expect(compare(before, now).figures).toEqual([]);
});

test('what only the new run has is told, and not compared', () => {
  const before = resultsOf([figureOf({ case: 'http', values: [1, 2, 3] })]);
  const now = resultsOf([figureOf({ case: 'socket', values: [1, 2, 3] })]);

  expect(compare(before, now)).toMatchObject({
    figures: [],
    missing: ['send: socket, confab, sends per second'],
  });
});

test('runs of two kinds of machine are told apart', () => {
  const before = resultsOf([]);
  const { machine } = before;
  const now = resultsOf([], { machine: { ...machine, cpu: 'Another Processor' } });

  expect(compare(before, before).isSameMachine).toBe(true);
  expect(compare(before, now).isSameMachine).toBe(false);
});
