import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { giveWay } from '../../src/processes/give-way.ts';

test('all threads of the process give way, those that collect its garbage too', () => {
  const given = new Map<number, number>();
  giveWay((thread, priority) => given.set(thread, priority));
  const threads = readdirSync('/proc/self/task').map(Number);
  expect(threads.length).toBeGreaterThan(1);
  expect([...given.keys()].sort()).toEqual(threads.sort());
  expect(new Set(given.values())).toEqual(new Set([constants.priority.PRIORITY_BELOW_NORMAL]));
});
