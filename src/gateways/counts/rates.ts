import { madeIn } from '../../domain/once-per-key.ts';
import type { RateKind } from '../../endpoints/rate-limiter.ts';

/** Requests of one kind that count for a name, and how many. */
export type Taken = readonly [kind: RateKind, name: string | number, count: number];

/** How long requests that count for limits are gathered before others hear of them. */
const GATHER_MS = 100;

/**
 * Gathers the requests that this process lets through. Each process counts what all have let
 * through, so that a limit is that of the server; for a moment an account may have as much again at
 * each.
 */
export function openTakings(tell: (taken: readonly Taken[]) => void) {
  const gathered = new Map<RateKind, Map<string | number, number>>();
  let isGathering = false;

  function send() {
    isGathering = false;
    const all: Taken[] = [];
    for (const [kind, names] of gathered) {
      for (const [name, count] of names) all.push([kind, name, count]);
    }
    gathered.clear();
    tell(all);
  }

  return (kind: RateKind, name: string | number) => {
    const names = madeIn(gathered, kind, () => new Map());
    names.set(name, (names.get(name) ?? 0) + 1);
    if (isGathering) return;
    isGathering = true;
    setTimeout(send, GATHER_MS).unref();
  };
}
