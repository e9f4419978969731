import { TooEarly } from '../post.ts';

/** The answer of a push service to a push that it did not take. */
export interface Refusal {
  /** The host of the service: the rest of an address is a secret of the browser. */
  readonly service: string;
  readonly status: number;
  /** The name that the service has for it, if it says one. */
  readonly reason?: string;
}

/**
 * A push service does not accept the keys of this server. The device is not at fault: a wrong clock
 * is enough for it, so another attempt may succeed.
 */
export class KeysRefused extends TooEarly {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, pauseMs: number | null) {
    const { service, status, reason = '' } = refusal;
    const words = `the push service ${service} answered with status ${status} ${reason}`;
    super(words.trim(), pauseMs ?? 0);
    this.refusal = refusal;
  }
}

/** Says in the log how pushes fail. */
export interface RefusalNotes {
  pushKeysRefused(error: KeysRefused): void;
  pushRefused(refusal: Refusal): void;
  pushLost(kind: string, error: unknown): void;
}

/** Half an hour is often enough to tell an operator of the same trouble. */
const PAUSE_MS = 30 * 60_000;
/** People choose the push services of their browsers, so their number is bounded. */
const NAMES_MAX = 100;

/** Returns what says whether a text is to be written again: once in a while for each name. */
export function onceInAWhile(now: () => number = Date.now): (name: string) => boolean {
  const until = new Map<string, number>();
  return (name) => {
    const time = now();
    if ((until.get(name) ?? 0) > time) return false;
    for (const [known, end] of until) if (end <= time) until.delete(known);
    if (until.size >= NAMES_MAX) return false;
    until.set(name, time + PAUSE_MS);
    return true;
  };
}
