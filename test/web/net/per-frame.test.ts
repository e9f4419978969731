import type { ChatEvent } from '@confab/client';
import { expect, test } from 'vitest';
import { perFrame, REST_MS_MAX } from '../../../web/app/net/per-frame.ts';

/** A browser whose frames come every 16 ms, and whose time a test moves. */
function simulated(costMs: () => number) {
  let now = 0;
  let isHidden = false;
  const planned: { at: number; run: () => void }[] = [];
  const turned: (() => void)[] = [];
  const drawnAt: number[] = [];
  const told: number[][] = [];
  const later = (run: () => void, ms: number) => void planned.push({ at: now + ms, run });
  const frames = perFrame(
    (events) => {
      drawnAt.push(now);
      told.push(events.map(({ id }) => id));
      now += costMs();
    },
    {
      now: () => now,
      isHidden: () => isHidden,
      beforeFrame: (run) => later(run, FRAME_MS - (now % FRAME_MS)),
      later,
      onTurn: (run) => void turned.push(run),
    },
  );
  return {
    drawnAt,
    told,
    frames,
    advance(ms: number) {
      const until = now + ms;
      for (;;) {
        planned.sort((one, other) => one.at - other.at);
        const [next] = planned;
        if (next === undefined || next.at > until) break;
        planned.shift();
        now = Math.max(now, next.at);
        next.run();
      }
      now = Math.max(now, until);
    },
    turn(hidden: boolean) {
      isHidden = hidden;
      for (const run of turned) run();
    },
  };
}

const FRAME_MS = 16;
const event = (id: number) => ({ id, type: 'message' }) as ChatEvent;

test('an event after a pause is drawn with the next frame', () => {
  const { frames, drawnAt, advance } = simulated(() => 5);
  advance(1_000);
  frames.add([event(1)]);
  advance(FRAME_MS);
  expect(drawnAt).toEqual([1_008]);
});

test('events that come thickly take a part of twenty of the time, and all are told in order', () => {
  const { frames, drawnAt, told, advance } = simulated(() => 4);
  for (let id = 1; id <= 500; id += 1) {
    frames.add([event(id)]);
    advance(20);
  }
  advance(1_000);
  expect(told.flat()).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  // Each drawing takes 4 ms.
  const gaps = drawnAt.slice(1).map((at, index) => at - (drawnAt[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4 * 20);
  expect(drawnAt.length).toBeGreaterThan(80);
});

test('a slow machine does not wait longer than people notice', () => {
  const { frames, drawnAt, advance } = simulated(() => 300);
  frames.add([event(1)]);
  advance(400);
  frames.add([event(2)]);
  advance(1_000);
  const [first = 0, second = 0] = drawnAt;
  expect(second - (first + 300)).toBeLessThanOrEqual(REST_MS_MAX + 2 * FRAME_MS);
});

test('a page that is hidden meanwhile is told at once, and nothing is told twice', () => {
  const { frames, told, turn, advance } = simulated(() => 10);
  frames.add([event(1)]);
  advance(FRAME_MS);
  frames.add([event(2)]);
  turn(true);
  expect(told).toEqual([[1], [2]]);
  frames.add([event(3)]);
  advance(1_000);
  frames.add([event(4)]);
  frames.forget();
  advance(1_000);
  expect(told).toEqual([[1], [2], [3]]);
});

test('what comes after an event that fails is drawn', () => {
  const { frames, told, advance } = simulated(() => {
    if (told.length === 1) throw new Error('this event fails');
    return 1;
  });
  frames.add([event(1)]);
  expect(() => advance(FRAME_MS)).toThrow('this event fails');
  frames.add([event(2)]);
  advance(1_000);
  expect(told).toEqual([[1], [2]]);
});
