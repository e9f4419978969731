export interface LoginFailuresInput {
  /** Failures within `windowMs` after which a name has to wait. */
  readonly max: number;
  readonly windowMs: number;
  readonly namesMax: number;
}

/** Counts the wrong passwords of a name within a sliding time, so that guessing is slow. */
export function openLoginFailures({ max, windowMs, namesMax }: LoginFailuresInput) {
  /** Times of failure, oldest first; the name that failed last is the last one. */
  const failures = new Map<string, readonly number[]>();
  const recent = (name: string, now: number) =>
    (failures.get(name) ?? []).filter((at) => at > now - windowMs);
  return {
    /** How long a name must wait for its next try; 0 when it need not. */
    waitMs(name: string, now: number): number {
      const times = recent(name, now);
      const oldest = times[times.length - max];
      return oldest === undefined ? 0 : oldest + windowMs - now;
    },
    note(name: string, now: number) {
      const times = [...recent(name, now), now].slice(-max);
      failures.delete(name);
      if (failures.size >= namesMax) {
        for (const longestAgo of failures.keys()) {
          failures.delete(longestAgo);
          break;
        }
      }
      failures.set(name, times);
    },
    forget(name: string) {
      failures.delete(name);
    },
  };
}
