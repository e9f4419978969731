import type { Reads } from '../access/groups.ts';

/** The pause after a bug; meanwhile searches read messages themselves. */
export const REST_MS = 3_600_000;

/** Every so many messages, a send checks how many are not indexed yet. */
export const MESSAGES_PER_LOOK = 64;

/** Returns the id of the newest message. */
export const lastIdOf = (reader: Pick<Reads, 'counters'>) =>
  reader.counters.get(['counters'])?.message ?? 0;

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
