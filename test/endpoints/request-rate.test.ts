import { expect, test } from 'vitest';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/domain/limits/turns.ts';
import { openRequestRate } from '../../src/endpoints/request-rate.ts';

const START = Date.UTC(2026, 0, 5, 9, 0, 0);
const MINUTE_MS = 60_000;

const openRate = (perMinute: number, namesMax = 1_000) => openRequestRate({ perMinute, namesMax });

/** Counts how many of so many requests at once are answered. */
const answered = (rate: ReturnType<typeof openRate>, times: number, now: number) =>
  Array.from({ length: times }, () => rate.take('mel', now)).filter(
    ({ retryAfterMs }) => retryAfterMs === 0,
  ).length;

test('what is left goes down with each request, and the time when all is there again goes up', () => {
  const rate = openRate(3);
  const seconds = START / 1000;
  expect([1, 2, 3, 4].map(() => rate.take('mel', START))).toEqual([
    { limit: 3, remaining: 2, resetAt: seconds + 20, retryAfterMs: 0 },
    { limit: 3, remaining: 1, resetAt: seconds + 40, retryAfterMs: 0 },
    { limit: 3, remaining: 0, resetAt: seconds + 60, retryAfterMs: 0 },
    { limit: 3, remaining: 0, resetAt: seconds + 60, retryAfterMs: 20_000 },
  ]);
});

test.each([1, 7, 200, 59_999, 60_000])(
  'exactly as many as the limit are answered at once, and one after the wait that was told: %d',
  (perMinute) => {
    const rate = openRate(perMinute);
    expect(answered(rate, perMinute, START)).toBe(perMinute);
    const { retryAfterMs } = rate.take('mel', START);
    expect(retryAfterMs).toBe(Math.ceil(MINUTE_MS / perMinute));
    expect(answered(rate, 1, START + retryAfterMs - 1)).toBe(0);
    expect(answered(rate, 2, START + retryAfterMs)).toBe(1);
  },
);

test('a minute of asking too often gets as many answers as the limit, however often it is', () => {
  const rate = openRate(200);
  expect(answered(rate, 300, START)).toBe(200);
  let inTheMinute = 0;
  for (let ms = 1; ms <= MINUTE_MS; ms++) inTheMinute += answered(rate, 1, START + ms);
  expect(inTheMinute).toBe(200);
});

test('who is quiet for a minute has the whole limit again, and no more', () => {
  const rate = openRate(5);
  expect(answered(rate, 9, START)).toBe(5);
  expect(answered(rate, 9, START + MINUTE_MS)).toBe(5);
  expect(answered(rate, 9, START + 60 * MINUTE_MS)).toBe(5);
});

test('each name has a limit of its own', () => {
  const rate = openRate(1);
  expect(rate.take('mel', START).retryAfterMs).toBe(0);
  expect(rate.take('max', START).retryAfterMs).toBe(0);
  expect(rate.take('mel', START).retryAfterMs).toBe(MINUTE_MS);
});

test('a name that others are dropped with is not forgiven while it asks', () => {
  const rate = openRate(6);
  expect(answered(rate, 9, START)).toBe(6);
  // One request is allowed again every ten seconds, also while a generation of names makes room for
  // the next, ten times.
  for (let ms = 10_000; ms <= 10 * MINUTE_MS; ms += 10_000) {
    expect(answered(rate, 9, START + ms)).toBe(1);
  }
});

test('a clock that is set back shuts nobody out for longer than a minute', () => {
  const rate = openRate(4);
  expect(answered(rate, 9, START)).toBe(4);
  const before = START - 3_600_000;
  const { retryAfterMs, resetAt } = rate.take('mel', before);
  expect({ retryAfterMs, resetAt }).toEqual({
    retryAfterMs: 15_000,
    resetAt: (before + MINUTE_MS) / 1000,
  });
  expect(answered(rate, 9, before + 15_000)).toBe(1);
  expect(answered(rate, 9, before + 15_000 + MINUTE_MS)).toBe(4);
});

test('of any number of addresses so many are held, and the busy one among them is not forgiven', () => {
  const namesMax = 10_000;
  const rate = openRate(2, namesMax);
  answered(rate, 3, START);
  let sizeMax = 0;
  for (let index = 0; index < 100_000; index++) {
    rate.take(`address ${index}`, START);
    if (index % 1_000 === 0) expect(answered(rate, 1, START)).toBe(0);
    sizeMax = Math.max(sizeMax, rate.size());
  }
  expect(sizeMax).toBeGreaterThan(namesMax);
  expect(sizeMax).toBeLessThanOrEqual(2 * namesMax);
});

test('who is quiet is forgotten', () => {
  const rate = openRate(2, 200_000);
  for (let index = 0; index < 100_000; index++) rate.take(`address ${index}`, START);
  expect(rate.size()).toBe(100_000);
  rate.take('mel', START + MINUTE_MS);
  expect(rate.size()).toBe(100_001);
  rate.take('mel', START + 2 * MINUTE_MS);
  expect(rate.size()).toBe(2);
  rate.take('max', START + 10 * MINUTE_MS);
  expect(rate.size()).toBe(1);
});

test('after years the largest limit that an operator may set gives as much in a minute, within a request', () => {
  const rate = openRate(REQUESTS_PER_MINUTE_MAX);
  rate.take('mel', START);
  const later = START + 5 * 365 * 24 * 60 * MINUTE_MS;
  const { remaining } = rate.take('mel', later);
  expect(REQUESTS_PER_MINUTE_MAX - remaining).toBeLessThanOrEqual(2);
});
