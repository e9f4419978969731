import { expect, test } from 'vitest';
import { disturbedIn, type Span, watchSeconds } from '../../bench/suite/disturbances.ts';

const span = (second: number, stolenTicks: number): Span => ({
  fromMs: second * 1_000,
  untilMs: (second + 1) * 1_000,
  stolenTicks,
});

test('a second is disturbed if the host took more than 2.5 % of the cores, and so are those beside it', () => {
  const isDisturbed = disturbedIn([span(0, 0), span(1, 5), span(2, 0), span(3, 6), span(4, 0)], 2);
  const seconds = [0, 1, 2, 3, 4, 5].filter((second) => isDisturbed(second * 1_000 + 500));
  expect(seconds).toEqual([2, 3, 4]);
});

test('of a span that is shorter or of more cores, less or more is much', () => {
  expect(disturbedIn([{ ...span(0, 3), untilMs: 500 }], 2)(0)).toBe(true);
  expect(disturbedIn([span(0, 3)], 2)(0)).toBe(false);
  expect(disturbedIn([span(0, 6)], 4)(0)).toBe(false);
});

test('all seconds are looked at, the last one too', async () => {
  const stop = watchSeconds();
  const from = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const isDisturbed = stop();
  expect(isDisturbed(from)).toBeTypeOf('boolean');
  expect(isDisturbed(from + 60_000)).toBe(false);
});
