import { expect, test } from 'vitest';
import type { Target } from '../../bench/suite/benchmark.ts';
import { targetsOf } from '../../bench/suite/targets.ts';
import { figureOf } from '../support/bench-results.ts';

const target = (change: Partial<Target>): Target => ({
  name: 'fast',
  metric: 'sends per second',
  case: /^http/,
  ...change,
});

const confab = figureOf({ case: 'http', values: [80, 90, 100] });
const baseline = figureOf({ case: 'http', server: 'baseline', values: [100, 100, 200] });

test.each([
  { what: 'a ratio that is met', change: { atLeast: 0.8 }, isMet: true },
  { what: 'a ratio that is missed', change: { atLeast: 0.85 }, isMet: false },
  { what: 'a ratio that is met from above', change: { atMost: 0.8 }, isMet: true },
])('$what is the median of the ratios of each repeat', ({ change, isMet }) => {
  const [outcome] = targetsOf(
    [target({ against: { server: 'baseline' }, ...change })],
    [confab, baseline],
  );

  expect(outcome).toMatchObject({ case: 'http', got: '0.80 of the baseline', isMet });
});

test('a difference is in the unit of the figure', () => {
  const expected = target({ against: { server: 'baseline' }, by: 'difference', atMost: -10 });

  expect(targetsOf([expected], [confab, baseline])).toMatchObject([
    {
      got: '-20.0 /s above the baseline',
      expected: 'at most -10.0 /s above the baseline',
      isMet: true,
    },
  ]);
});

test('without another it is the figure itself that counts', () => {
  expect(targetsOf([target({ atLeast: 91 })], [confab])).toMatchObject([
    { got: '90.0 /s', isMet: false },
  ]);
});

test('growth is held against the same server in another case', () => {
  const small = figureOf({ case: 'http, 10', values: [10, 10, 10] });
  const large = figureOf({ case: 'http, 1000', values: [10, 11, 12] });
  const expected = target({ case: /1000$/, against: { case: 'http, 10' }, atMost: 1.1 });

  expect(targetsOf([expected], [small, large])).toMatchObject([
    { case: 'http, 1000', isMet: true },
  ]);
});

test.each([
  { what: 'cases that it does not name', change: { case: /^socket/ } },
  { what: 'other figures', change: { metric: 'reply p50' } },
  { what: 'what has nothing to be held against', change: { against: { server: 'ws' } } },
])('a target says nothing of $what', ({ change }) => {
  expect(targetsOf([target({ atLeast: 1, ...change })], [confab, baseline])).toEqual([]);
});
