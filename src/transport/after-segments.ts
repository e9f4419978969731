import { TURN_MS_MAX } from '../domain/limits/turns.ts';

let waiting: (() => void)[] = [];

/**
 * Runs a function after the library has gone through the segments of this turn, in the order of
 * arrival.
 */
export function afterSegments(run: () => void) {
  if (waiting.push(run) === 1) setImmediate(runWaiting);
}

function runWaiting() {
  const running = waiting;
  waiting = [];
  for (const run of running) run();
}

const large: (() => void)[] = [];

/**
 * Runs the parser of a large body, which takes milliseconds. Each turn of the loop parses as many
 * as fit into it; the rest wait for the next turn.
 */
export function inPortions(run: () => void) {
  if (large.push(run) === 1) setImmediate(runLarge);
}

function runLarge() {
  const endsAt = performance.now() + TURN_MS_MAX;
  do large.shift()?.();
  while (large.length > 0 && performance.now() < endsAt);
  if (large.length > 0) setImmediate(runLarge);
}
