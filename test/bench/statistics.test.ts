import { describe, expect, test } from 'vitest';
import {
  alternating,
  median,
  quantile,
  ratios,
  spread,
  verdict,
} from '../../bench/suite/statistics.ts';

describe('median', () => {
  test.each([
    { values: [3], expected: 3 },
    { values: [5, 1, 3], expected: 3 },
    { values: [4, 1, 3, 2], expected: 2.5 },
  ])('of $values is $expected', ({ values, expected }) => {
    expect(median(values)).toBe(expected);
  });

  test('of nothing is not a number, and so in no results', () => {
    expect(median([])).toBeNaN();
  });

  test('leaves the order of the repeats as it was', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('spread', () => {
  test('is the distance of the ends as a part of the median', () => {
    expect(spread([90, 100, 130])).toBeCloseTo(0.4);
  });

  test.each([{ values: [7] }, { values: [-1, 0, 1] }])(
    'of $values is none: there is nothing to tell it by',
    ({ values }) => {
      expect(spread(values)).toBe(0);
    },
  );
});

test('ratios are of each repeat by itself, as far as both have one', () => {
  expect(ratios([10, 30, 7], [5, 10])).toEqual([2, 3]);
});

test('a quantile is a value that was measured', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(3);
  expect(quantile([1, 2, 3, 4], 1)).toBe(4);
});

test('servers take turns', () => {
  expect([...alternating(['confab', 'baseline'], 2)]).toEqual([
    'confab',
    'baseline',
    'confab',
    'baseline',
  ]);
});

describe('the verdict on a change', () => {
  test.each([
    { what: 'every repeat is slower', before: [10, 11, 12], now: [13, 14, 15], expected: 'worse' },
    { what: 'every repeat is faster', before: [10, 11, 12], now: [7, 8, 9], expected: 'better' },
    {
      what: 'one repeat reaches the others',
      before: [10, 11, 14],
      now: [13, 15, 16],
      expected: 'same',
    },
    { what: 'they touch', before: [10, 11, 12], now: [12, 13, 14], expected: 'same' },
    {
      what: 'one has two repeats',
      before: [10, 11],
      now: [20, 21, 22],
      expected: 'too few repeats',
    },
    { what: 'the other has one', before: [10, 11, 12], now: [20], expected: 'too few repeats' },
  ])('of a time is $expected when $what', ({ before, now, expected }) => {
    expect(verdict({ before, now, better: 'lower' })).toBe(expected);
  });

  test('turns round where more is better', () => {
    expect(verdict({ before: [10, 11, 12], now: [13, 14, 15], better: 'higher' })).toBe('better');
    expect(verdict({ before: [10, 11, 12], now: [7, 8, 9], better: 'higher' })).toBe('worse');
  });
});
