import { beforeEach, expect, test, vi } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { systemClock } from '../../actors/clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 });
  return () => vi.useRealTimers();
});

test('the time of the system is told in UNIX milliseconds, and goes on', () => {
  expect(systemClock.now()).toBe(1_000);
  vi.advanceTimersByTime(250);
  expect(systemClock.now()).toBe(1_250);
});

test('a timer calls back once its delay is over, and not if it was cleared', () => {
  const called: string[] = [];
  systemClock.setTimeout(() => called.push('kept'), 500);
  const cleared = systemClock.setTimeout(() => called.push('cleared'), 500);
  vi.advanceTimersByTime(499);
  expect(called).toEqual([]);
  systemClock.clearTimeout(cleared);
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(['kept']);
});

test('the delays of an actor go by this clock, and end with their state', () => {
  const machine = createMachine({
    initial: 'waiting',
    states: {
      waiting: { after: { 500: 'late' }, on: { skip: 'early' } },
      early: { after: { 2000: 'done' } },
      late: {},
      done: {},
    },
  });
  const [patient, hasty] = [machine, machine].map((logic) =>
    createActor(logic, { clock: systemClock }).start(),
  );
  hasty?.send({ type: 'skip' });
  vi.advanceTimersByTime(500);
  expect([patient, hasty].map((actor) => actor?.getSnapshot().value)).toEqual(['late', 'early']);
  vi.advanceTimersByTime(1_500);
  expect(hasty?.getSnapshot().value).toBe('done');
});
