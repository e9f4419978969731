import { beforeEach, expect, test, vi } from 'vitest';
import {
  type Job,
  OF_NO_ACCOUNT,
  WaitingOperations,
} from '../../../actors/realm/waiting-operations.ts';
import { COMMIT_MS_MAX, OPERATIONS_OF_ACCOUNT_MAX } from '../../../src/domain/limits/turns.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';

const NO_TRANSACTION = {} as RealmTransaction;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => vi.useRealTimers();
});

/** Takes a quarter of what a commit has. */
const burn = () => void vi.advanceTimersByTime(COMMIT_MS_MAX / 4);

const jobOf = (accountId: number, operation: () => void = burn): Job => ({
  accountId,
  operation,
  settle: () => undefined,
});

/** The accounts whose operations the next commit holds, once it has run them. */
function committed(waiting: WaitingOperations): number[] {
  const batch: Job[] = [];
  for (const operation of waiting.takeInto(batch)) operation(NO_TRANSACTION);
  return batch.map(({ accountId }) => accountId);
}

const quick = () => undefined;

test('what fits into a commit is in it, in the order in which it came', () => {
  const waiting = new WaitingOperations(COMMIT_MS_MAX);
  for (const accountId of [1, 1, 2, 1, 3]) waiting.add(jobOf(accountId, quick));
  expect(committed(waiting)).toEqual([1, 1, 2, 1, 3]);
  expect(waiting.size).toBe(0);
});

test('a commit ends when its time is up, and nobody waits behind all that one account asked for', () => {
  const waiting = new WaitingOperations(COMMIT_MS_MAX);
  for (let n = 0; n < 20; n++) waiting.add(jobOf(1));
  waiting.add(jobOf(2));
  expect(committed(waiting).length).toBeLessThanOrEqual(4);
  expect(waiting.size).toBeGreaterThanOrEqual(17);
  waiting.add(jobOf(3));
  const next = committed(waiting);
  expect(next).toContain(2);
  expect(next).toContain(3);
});

test('an operation that takes longer than a commit may is one all the same', () => {
  const waiting = new WaitingOperations(COMMIT_MS_MAX);
  const long = () => {
    for (let n = 0; n < 5; n++) burn();
  };
  waiting.add(jobOf(1, long));
  waiting.add(jobOf(1, long));
  expect(committed(waiting)).toEqual([1]);
  expect(committed(waiting)).toEqual([1]);
});

test('an account has so many operations waiting; those of the realm itself and of others are taken', () => {
  const waiting = new WaitingOperations(COMMIT_MS_MAX);
  for (let n = 0; n < 20; n++) waiting.add(jobOf(1));
  committed(waiting);
  while (waiting.size < OPERATIONS_OF_ACCOUNT_MAX) {
    expect(waiting.add(jobOf(1, quick))).toBe(true);
  }
  expect(waiting.add(jobOf(1, quick))).toBe(false);
  expect(waiting.add(jobOf(2, quick))).toBe(true);
  expect(waiting.add(jobOf(OF_NO_ACCOUNT, quick))).toBe(true);
});
