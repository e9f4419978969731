import { expect, test } from 'vitest';
import type { Mark } from '../../bench/suite/benchmark.ts';
import { marksOf } from '../../bench/suite/marks.ts';
import { figureOf } from '../support/bench-results.ts';

const mark = (change: Partial<Mark>): Mark => ({
  name: 'fast',
  metric: 'sends per second',
  case: /^http/,
  ...change,
});

const confab = figureOf({ case: 'http', values: [80, 90, 100] });
const baseline = figureOf({ case: 'http', server: 'baseline', values: [100, 100, 200] });

test.each([
  { what: 'a ratio that is reached', change: { atLeast: 0.8 }, isReached: true },
  { what: 'a ratio that is missed', change: { atLeast: 0.85 }, isReached: false },
  { what: 'a ratio that is reached from above', change: { atMost: 0.8 }, isReached: true },
])('$what is the median of the ratios of each repeat', ({ change, isReached }) => {
  const [outcome] = marksOf(
    [mark({ against: { server: 'baseline' }, ...change })],
    [confab, baseline],
  );

  expect(outcome).toMatchObject({ case: 'http', got: '0.80 of the baseline', isReached });
});

test('a difference is in the unit of the figure', () => {
  const wanted = mark({ against: { server: 'baseline' }, by: 'difference', atMost: -10 });

  expect(marksOf([wanted], [confab, baseline])).toMatchObject([
    {
      got: '-20.0 /s above the baseline',
      wanted: 'at most -10.0 /s above the baseline',
      isReached: true,
    },
  ]);
});

test('without another it is the figure itself that counts', () => {
  expect(marksOf([mark({ atLeast: 91 })], [confab])).toMatchObject([
    { got: '90.0 /s', isReached: false },
  ]);
});

test('growth is held against the same server in another case', () => {
  const small = figureOf({ case: 'http, 10', values: [10, 10, 10] });
  const large = figureOf({ case: 'http, 1000', values: [10, 11, 12] });
  const wanted = mark({ case: /1000$/, against: { case: 'http, 10' }, atMost: 1.1 });

  expect(marksOf([wanted], [small, large])).toMatchObject([
    { case: 'http, 1000', isReached: true },
  ]);
});

test.each([
  { what: 'cases that it does not name', change: { case: /^socket/ } },
  { what: 'other figures', change: { metric: 'reply p50' } },
  { what: 'what has nothing to be held against', change: { against: { server: 'ws' } } },
])('a mark says nothing of $what', ({ change }) => {
  expect(marksOf([mark({ atLeast: 1, ...change })], [confab, baseline])).toEqual([]);
});
