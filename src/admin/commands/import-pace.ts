import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  IMPORT_BUSY_MS,
  IMPORT_LATE_MS_MAX,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
  IMPORTED_ROWS_PER_SECOND,
} from '../../domain/limits/archives.ts';
import type { Realms } from '../deployment.ts';

/** How fast the imports of a server go. Times are by `performance.now()`. */
interface Pace {
  /** The operations of accounts so far, and when there was last a new one. */
  accountOperations: number;
  servedAt: number;
  /** When the rate allows the next rows. */
  dueAt: number;
  /** Resolves when the operation before the next one has its turn. */
  turn: Promise<void>;
}

const paces = new WeakMap<Realms, Pace>();

/**
 * Resolves when the next operation of an import may run: the requests that have arrived are read by
 * then, and each operation of all imports has a turn of its own.
 */
export function turnOfImport(realms: Realms): Promise<void> {
  const pace = paceOf(realms);
  pace.turn = pace.turn.then(async () => {
    const rest = restMs(realms);
    if (rest > 0) await delay(rest);
    await nextTurn();
    if (isBusy(realms, performance.now())) await free(realms);
  });
  return pace.turn;
}

const free = (realms: Realms): Promise<void> =>
  new Promise((resolve) => realms.load().background.whenFree(resolve));

/** Returns the milliseconds until the next operation of an import, 0 while nobody is served. */
export const restMs = (realms: Realms, nowMs: number = performance.now()): number =>
  isBusy(realms, nowMs) ? Math.max(0, paceOf(realms).dueAt - nowMs) : 0;

/** Runs an operation, after which work that nobody waits for rests while people are served. */
export const inTurn = <Result>(realms: Realms, operation: () => Result): Result =>
  isBusy(realms, performance.now()) ? realms.load().background.run(operation) : operation();

/** Counts rows that an operation has entered: the next one waits until the rate allows it. */
export function noteImported(realms: Realms, rows: number, nowMs: number = performance.now()) {
  if (!isBusy(realms, nowMs)) return;
  const pace = paceOf(realms);
  const from = Math.max(pace.dueAt, nowMs - IMPORT_LATE_MS_MAX);
  pace.dueAt = from + (rows * 1_000) / IMPORTED_ROWS_PER_SECOND;
}

/**
 * Returns the milliseconds that an operation of an import may take: few while people are served, as
 * their requests wait for it.
 */
export const sliceMs = (realms: Realms, nowMs: number = performance.now()): number =>
  isBusy(realms, nowMs) ? IMPORT_SLICE_MS : IMPORT_SLICE_QUIET_MS;

function isBusy(realms: Realms, now: number): boolean {
  const { accountOperations } = realms.load();
  const pace = paceOf(realms);
  if (pace.accountOperations !== accountOperations) {
    pace.accountOperations = accountOperations;
    pace.servedAt = now;
  }
  return now - pace.servedAt < IMPORT_BUSY_MS;
}

function paceOf(realms: Realms): Pace {
  const { accountOperations } = realms.load();
  const pace = paces.get(realms) ?? {
    accountOperations,
    servedAt: -IMPORT_BUSY_MS,
    dueAt: 0,
    turn: Promise.resolve(),
  };
  paces.set(realms, pace);
  return pace;
}
