import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  IMPORT_BUSY_MS,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
} from '../../domain/limits/archives.ts';
import type { Realms } from '../deployment.ts';

/** When a server was last seen to work for somebody, by `performance.now()`. */
interface Seen {
  operations: number;
  at: number;
}

const seenOf = new WeakMap<Realms, Seen>();

/** Resolves when the operation before the next one is over. */
const turnOf = new WeakMap<Realms, Promise<unknown>>();

/**
 * Runs the operations of all imports one after the other: those that wait at the same time would
 * share a transaction, and make it long. `work` is given the milliseconds that it may take.
 */
export function inTurn<Reply>(
  realms: Realms,
  work: (sliceMs: number) => Promise<Reply>,
): Promise<Reply> {
  const mine = (turnOf.get(realms) ?? Promise.resolve()).then(async () =>
    work(await othersFirst(realms)),
  );
  // A failure is told to its own caller, and the next one runs in any case.
  turnOf.set(
    realms,
    mine.catch(() => undefined),
  );
  return mine;
}

/**
 * Waits until the requests that have arrived are read, and returns the milliseconds that the next
 * operation of an import may take: few while people are served, as their requests wait for it, and
 * more while nobody is, as each operation costs a commit.
 */
export async function othersFirst(
  realms: Realms,
  clockMs: () => number = () => performance.now(),
): Promise<number> {
  await nextTurn();
  return isBusy(realms, clockMs()) ? IMPORT_SLICE_MS : IMPORT_SLICE_QUIET_MS;
}

function isBusy(realms: Realms, now: number): boolean {
  const { accountOperations } = realms.load();
  const seen = seenOf.get(realms) ?? { operations: accountOperations, at: -IMPORT_BUSY_MS };
  if (seen.operations !== accountOperations) {
    seen.operations = accountOperations;
    seen.at = now;
  }
  seenOf.set(realms, seen);
  return now - seen.at < IMPORT_BUSY_MS;
}
