/**
 * After this time no other step follows in the same operation, and no other message is read for a
 * segment, so that others wait for little.
 */
const WORK_MS_MAX = 1;

/** Returns a test whether the time of the work that begins now is over. */
export const stepTimer = (clockMs: () => number, ms = WORK_MS_MAX) => {
  const end = clockMs() + ms;
  return () => clockMs() >= end;
};
