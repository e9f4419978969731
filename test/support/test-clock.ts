import { SimulatedClock } from 'xstate';
import type { Clock } from '../../actors/clock.ts';

/** Time that stands still until a test moves it; named delays fire in order on the way. */
export interface TestClock extends Clock {
  advance(ms: number): void;
  /** The same at once: what was due on the way is late, as after a computer slept. */
  leap(ms: number): void;
  /** From now on time passes at each look at the clock: work takes as long as it is told to. */
  passAtEachLook(ms: number): void;
}

/** Any moment will do; a fixed one keeps failures alike. */
export const START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);

export function testClock(): TestClock {
  const timers = new SimulatedClock();
  let passed = 0;
  let perLook = 0;
  /** When each timer that waits is due, by its number. */
  const due = new Map<number, number>();
  return {
    now() {
      passed += perLook;
      return START_MS + timers.now() + passed;
    },
    passAtEachLook(ms) {
      perLook = ms;
    },
    setTimeout(callback, delayMs) {
      const timer = timers.setTimeout(() => {
        due.delete(timer);
        callback();
      }, delayMs);
      due.set(timer, timers.now() + delayMs);
      return timer;
    },
    clearTimeout(timer) {
      due.delete(timer as number);
      timers.clearTimeout(timer as number);
    },
    leap: (ms) => timers.increment(ms),
    // Second by second, so that a timer set by a timer fires at its own time; seconds in which
    // nothing is due pass at once.
    advance(ms) {
      for (let left = ms; left > 0; ) {
        const first = Math.min(...due.values()) - timers.now();
        const step = Math.min(left, Math.max(1, Math.ceil(first / 1_000)) * 1_000);
        timers.increment(step);
        left -= step;
      }
    },
  };
}
