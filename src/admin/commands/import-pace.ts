import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  IMPORT_BUSY_MS,
  IMPORT_REST_MS,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
  IMPORT_WAIT_MS_MAX,
} from '../../domain/limits/archives.ts';
import type { Realms } from '../deployment.ts';

/** When a server was last seen to work for somebody, by `performance.now()`. */
interface Seen {
  operations: number;
  at: number;
}

const seenOf = new WeakMap<Realms, Seen>();

/** Resolves when the operation before the next one is over and has rested. */
const turnOf = new WeakMap<Realms, Promise<unknown>>();

/**
 * Runs the operations of all imports one after the other, as a transaction would run those that
 * wait for it together. `work` is handed for how many milliseconds it may work. While people are
 * served, there is a rest after each operation; the answer does not wait for it.
 */
export function inTurn<Reply>(
  realms: Realms,
  work: (sliceMs: number) => Promise<Reply>,
): Promise<Reply> {
  let rest: Promise<unknown> | undefined;
  const run = async () => {
    const sliceMs = await othersFirst(realms);
    return await work(sliceMs).finally(() => {
      if (sliceMs < IMPORT_SLICE_QUIET_MS) rest = pause(IMPORT_REST_MS);
    });
  };
  const mine = (turnOf.get(realms) ?? Promise.resolve()).then(run);
  // A failure is told to its own caller, and the next one runs in any case.
  turnOf.set(
    realms,
    mine.then(
      () => rest,
      () => rest,
    ),
  );
  return mine;
}

/**
 * Lets others go before the next operation of an import, and returns for how many milliseconds that
 * may work. Requests that have arrived are read first. While people are served, it also waits until
 * their commits are answered: so a request meets at most one operation of an import, and a short
 * one. While nobody is, the operations are longer and follow each other at once.
 */
export async function othersFirst(
  realms: Realms,
  clockMs: () => number = () => performance.now(),
): Promise<number> {
  await nextTurn();
  const now = clockMs();
  if (!isBusy(realms, now)) return IMPORT_SLICE_QUIET_MS;
  const until = now + IMPORT_WAIT_MS_MAX;
  while (realms.load().commitsUnderWay > 0 && clockMs() < until) await pause(1);
  return IMPORT_SLICE_MS;
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
