import { expect, test } from 'vitest';
import { clock, day, wholeTime } from '../../../web/app/store/times.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 26, 12);

/** The answers that are kept may not show: asked in any order, each time has its own name. */
test('names of days do not depend on what was asked before', () => {
  const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
  const asked = Array.from({ length: 400 }, (_, index) => ({
    at: NOW - ((index * 7_919) % (9 * 24)) * HOUR_MS + ((index * 31) % 60) * 60_000,
    // The reader leaves the page open over midnight.
    now: NOW + (index % 3) * 12 * HOUR_MS,
  }));
  const dayNumber = (ms: number) => {
    const date = new Date(ms);
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (24 * HOUR_MS);
  };
  for (const { at, now } of asked) {
    const days = dayNumber(now) - dayNumber(at);
    if (days === 0) expect(day(at, now)).toBe('Today');
    else if (days === 1) expect(day(at, now)).toBe('Yesterday');
    else if (days > 1 && days < 7) expect(day(at, now)).toBe(weekday.format(at));
    else expect(day(at, now)).not.toMatch(/day$/);
  }
});

test('the first and the last moment of a day have its name, those beside them have not', () => {
  const date = new Date(NOW);
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const nextMidnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
  const names = [midnight - 1, midnight, nextMidnight - 1].map((at) => day(at, NOW));
  expect(names).toEqual(['Yesterday', 'Today', 'Today']);
  expect(day(midnight, nextMidnight)).toBe('Yesterday');
});

test('times have a text for each minute, however many were asked for', () => {
  const all = Array.from({ length: 5_000 }, (_, minute) => NOW - minute * 60_000);
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
  for (const at of all) wholeTime(at);
  expect(all.map((at) => wholeTime(at))).toEqual(all.map((at) => format.format(at)));
  expect(clock(NOW)).toBe(clock(NOW + 59_999));
  expect(clock(NOW)).not.toBe(clock(NOW + 60_000));
});
