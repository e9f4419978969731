import { expect, test } from 'vitest';
import { weeklyTraffic } from '../../../../src/domain/rules/messages/traffic.ts';

const days = (count: number) => count * 86_400;

test.each([
  { count: 5, age: days(7) - 1, expected: null },
  { count: 5, age: days(7), expected: 5 },
  { count: 0, age: days(7), expected: 0 },
  { count: 10, age: days(14), expected: 5 },
  { count: 10, age: days(15) - 1, expected: 5 },
  { count: 99, age: days(28), expected: 24 },
  { count: 4, age: days(400), expected: 1 },
  { count: 1, age: days(28), expected: 1 },
  { count: 4 * 99, age: days(28), expected: 99 },
  { count: 4 * 123, age: days(28), expected: 120 },
  { count: 4 * 126, age: days(28), expected: 130 },
  { count: 4 * 996, age: days(28), expected: 1_000 },
  { count: 4 * 123_456, age: days(28), expected: 120_000 },
])('$count messages in a channel of $age seconds are $expected a week', (given) => {
  const { count, age: ageSeconds, expected } = given;
  expect(weeklyTraffic({ count, ageSeconds })).toBe(expected);
});
