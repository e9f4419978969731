import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

interface Schedule {
  /** When the act of this index is due, on the clock of `performance.now()`; undefined ends it. */
  readonly dueMs: (index: number) => number | undefined;
  readonly act: (index: number, dueMs: number) => void;
  /** Spins for the last moments, where a millisecond of lateness would show in the figures. */
  readonly isPrecise: boolean;
}

// A timer comes up to this much late.
const TIMER_LATENESS_MS = 2;

/** Acts at the planned times; what has fallen behind is done at once, never left out. */
export async function runSchedule({ dueMs, act, isPrecise }: Schedule): Promise<void> {
  for (let index = 0; ; index++) {
    const due = dueMs(index);
    if (due === undefined) return;
    await waitUntil(due, isPrecise);
    act(index, due);
  }
}

async function waitUntil(due: number, isPrecise: boolean): Promise<void> {
  for (;;) {
    const waitMs = due - performance.now();
    if (waitMs <= 0) return;
    if (!isPrecise) await delay(Math.ceil(waitMs));
    else if (waitMs > TIMER_LATENESS_MS) await delay(waitMs - TIMER_LATENESS_MS);
    else await nextTurn();
  }
}

/** Looks every few milliseconds whether it has come. */
export async function until(hasCome: () => boolean): Promise<void> {
  while (!hasCome()) await delay(5);
}
