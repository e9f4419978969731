import { recentlyUsed } from '../../domain/recently-used.ts';

export interface LoginFailuresInput {
  /** Failures within `windowMs` after which a name has to wait. */
  readonly max: number;
  readonly windowMs: number;
  readonly namesMax: number;
}

/** Counts the wrong passwords of a name within a sliding window, so that guessing is slow. */
export function openLoginFailures({ max, windowMs, namesMax }: LoginFailuresInput) {
  /** Times of failure, oldest first. Asking how long a name waits keeps nothing, so `peek`. */
  const failures = recentlyUsed<string, readonly number[]>(namesMax);
  const recent = (name: string, now: number) =>
    (failures.peek(name) ?? []).filter((at) => at > now - windowMs);
  return {
    /** Returns how long a name must wait for its next try; 0 if it need not. */
    waitMs(name: string, now: number): number {
      const times = recent(name, now);
      const oldest = times[times.length - max];
      return oldest === undefined ? 0 : oldest + windowMs - now;
    },
    note(name: string, now: number) {
      const times = [...recent(name, now), now].slice(-max);
      failures.set(name, times);
    },
    forget(name: string) {
      failures.delete(name);
    },
  };
}
