import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  IMPORT_BUSY_MS,
  IMPORT_REST_MS,
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

/** Resolves when the operation before the next one has its turn. */
const turnOf = new WeakMap<Realms, Promise<void>>();

/**
 * Resolves when the next operation of an import may run: the requests that have arrived are read by
 * then, and each operation of all imports has a turn of its own.
 */
export function turnOfImport(realms: Realms): Promise<void> {
  const mine = (turnOf.get(realms) ?? Promise.resolve()).then(async () => {
    if (isBusy(realms, performance.now())) await delay(IMPORT_REST_MS);
    await nextTurn();
  });
  turnOf.set(realms, mine);
  return mine;
}

/**
 * Returns the milliseconds that an operation of an import may take: few while people are served, as
 * their requests wait for it.
 */
export const sliceMs = (realms: Realms, nowMs: number = performance.now()): number =>
  isBusy(realms, nowMs) ? IMPORT_SLICE_MS : IMPORT_SLICE_QUIET_MS;

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
