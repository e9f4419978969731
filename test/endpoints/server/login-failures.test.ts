import { expect, test } from 'vitest';
import { openLoginFailures } from '../../../src/endpoints/server/login-failures.ts';

const open = () => openLoginFailures({ max: 3, windowMs: 1_000, namesMax: 2 });

test('a name waits after so many failures, until the oldest of them is past', () => {
  const failures = open();
  failures.note('ada', 0);
  failures.note('ada', 100);
  expect(failures.waitMs('ada', 100)).toBe(0);
  failures.note('ada', 200);
  expect(failures.waitMs('ada', 200)).toBe(800);
  expect(failures.waitMs('ada', 999)).toBe(1);
  expect(failures.waitMs('ada', 1_000)).toBe(0);
});

test('the failures of one name are nothing to another', () => {
  const failures = open();
  for (const at of [0, 1, 2]) failures.note('ada', at);
  expect(failures.waitMs('mel', 2)).toBe(0);
});

test('a right password makes up for the wrong ones', () => {
  const failures = open();
  for (const at of [0, 1, 2]) failures.note('ada', at);
  failures.forget('ada');
  expect(failures.waitMs('ada', 2)).toBe(0);
});

test('of too many names the one that failed longest ago is forgotten', () => {
  const failures = open();
  for (const at of [0, 1, 2]) failures.note('ada', at);
  for (const at of [3, 4, 5]) failures.note('mel', at);
  failures.note('ada', 6);
  failures.note('gus', 7);
  expect(failures.waitMs('mel', 8)).toBe(0);
  expect(failures.waitMs('ada', 8)).toBeGreaterThan(0);
});
