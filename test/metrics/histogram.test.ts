import { expect, test } from 'vitest';
import { Histogram } from '../../src/metrics/histogram.ts';

test('the bounds double from 128 µs to 8.4 s, and beyond them is one more', () => {
  const bounds = new Histogram(0.128).octaves().map(([bound]) => bound);
  expect(bounds).toHaveLength(18);
  expect(bounds[0]).toBeCloseTo(0.128);
  expect(bounds[16]).toBeCloseTo(8_388.608);
  expect(bounds[17]).toBe(Number.POSITIVE_INFINITY);
});

test('a value counts in the first bound that it does not exceed, and in all above it', () => {
  for (const [index, [bound]] of new Histogram(1).octaves().entries()) {
    if (bound === Number.POSITIVE_INFINITY) continue;
    const histogram = new Histogram(1);
    histogram.record(bound);
    const counts = histogram.octaves().map(([, count]) => count);
    expect(counts.indexOf(1)).toBe(index);
    expect(counts.slice(index).every((count) => count === 1)).toBe(true);
    histogram.record(bound * 1.001);
    expect(histogram.octaves()[index]?.[1]).toBe(1);
    expect(histogram.octaves()[index + 1]?.[1]).toBe(2);
  }
});

test('nothing is lost: the last bound has all values, and the sum is theirs', () => {
  const histogram = new Histogram(0.128);
  const values = [0, 0.0001, 0.128, 1, 77.7, 8_388.608, 8_388.7, 1e9, Number.POSITIVE_INFINITY];
  for (const value of values.slice(0, -1)) histogram.record(value);
  expect(histogram.octaves().at(-1)?.[1]).toBe(8);
  expect(histogram.sum).toBeCloseTo(values.slice(0, -1).reduce((sum, value) => sum + value, 0));
  histogram.record(Number.POSITIVE_INFINITY);
  expect(histogram.octaves().at(-1)?.[1]).toBe(9);
  expect(histogram.steps.at(-1)).toBe(3);
});

test('a quantile is at most a quarter above the value, and never below it', () => {
  const histogram = new Histogram(0.128);
  const values = Array.from({ length: 5_000 }, (_, index) => 0.2 * 1.002 ** index);
  for (const value of values) histogram.record(value);
  for (const share of [0.01, 0.5, 0.9, 0.99]) {
    const exact = values[Math.ceil(values.length * share) - 1] ?? 0;
    expect(histogram.quantile(share)).toBeGreaterThanOrEqual(exact);
    expect(histogram.quantile(share)).toBeLessThanOrEqual(exact * 1.25);
  }
  expect(new Histogram(1).quantile(0.99)).toBe(0);
});
