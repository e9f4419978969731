import type { ChatEvent } from '@confab/client';

/** Events are drawn in one part of twenty of the time, and no later than people notice. */
const REST_FACTOR = 19;
export const REST_MS_MAX = 200;

/** A hidden page draws no frames, but its title and its notifications go on. */
const HIDDEN_MS = 100;

/** The frames and timers of a browser; tests have their own. */
export interface Frames {
  readonly now: () => number;
  readonly isHidden: () => boolean;
  /** Calls before the next frame is drawn. */
  readonly beforeFrame: (run: () => void) => void;
  readonly later: (run: () => void, ms: number) => void;
  /** Calls when the page is hidden, or shown again. */
  readonly onTurn: (run: () => void) => void;
}

const OF_BROWSER: Frames = {
  now: () => performance.now(),
  isHidden: () => document.hidden,
  beforeFrame: (run) => void requestAnimationFrame(run),
  later: (run, ms) => void setTimeout(run, ms),
  onTurn: (run) => document.addEventListener('visibilitychange', run),
};

/**
 * Collects events, and hands on all of a frame together. After they were drawn, the page rests so
 * long that most of the processor is free: who types is not held up by what comes in.
 */
export function perFrame(
  apply: (events: readonly ChatEvent[]) => void,
  { now, isHidden, beforeFrame, later, onTurn }: Frames = OF_BROWSER,
) {
  let waiting: ChatEvent[] = [];
  let isPlanned = false;
  let isDrawing = false;
  let restsUntil = Number.NEGATIVE_INFINITY;
  const flush = () => {
    isPlanned = false;
    const events = waiting;
    waiting = [];
    if (events.length === 0) return;
    const from = now();
    isDrawing = true;
    // By then they are drawn. It is set before, so that one event that fails does not end it all.
    later(() => {
      isDrawing = false;
      restsUntil = now() + Math.min(REST_MS_MAX, (now() - from) * REST_FACTOR);
      if (isPlanned) plan();
    }, 0);
    apply(events);
  };
  const plan = () => {
    const restMs = restsUntil - now();
    if (isHidden()) later(flush, HIDDEN_MS);
    else if (restMs > 0) later(() => beforeFrame(flush), restMs);
    else beforeFrame(flush);
  };
  onTurn(() => {
    if (isPlanned) flush();
  });
  return {
    add(events: readonly ChatEvent[]) {
      waiting.push(...events);
      if (isPlanned) return;
      isPlanned = true;
      // Until they are drawn, nobody knows how long to rest.
      if (!isDrawing) plan();
    },
    /** Events of a queue that has ended are in the snapshot that replaces them. */
    forget() {
      waiting = [];
    },
  };
}
