import { expect, test } from 'vitest';
import type { TurnWork } from '../../../actors/realm/turns.ts';
import { Waiting } from '../../../actors/realm/waiting.ts';
import { type Job, OF_NO_ACCOUNT } from '../../../actors/realm/waiting-operations.ts';
import type { Operation, Outcome } from '../../../storage/transaction.ts';

const ACCOUNT = 7;

/** Returns long work of two operations that waits, and what commits take, in order. */
function opened() {
  const waiting = new Waiting(Number.POSITIVE_INFINITY);
  const batch: Job[] = [];
  const outcomes: Outcome[] = [];
  const told: unknown[] = [];
  const work: TurnWork<string> = {
    next: (replies) => (replies.length === 2 ? undefined : () => `turn ${replies.length + 1}`),
    turn: () => Promise.resolve(),
  };
  waiting.addTurns(work, (outcome) => told.push(outcome.isDone ? outcome.reply : outcome.error));
  const add = (accountId: number) => {
    const operation: Operation<unknown> = () => `of ${accountId}`;
    return waiting.add({ accountId, operation, settle: (outcome) => told.push(outcome) });
  };
  const take = () => {
    const replies = Array.from(waiting.takeInto(batch), (operation) => operation({} as never));
    const effects = { events: [], wakeAt: Number.POSITIVE_INFINITY, endedQueues: [] };
    outcomes.push(...replies.map((reply) => ({ reply, ...effects })));
    return replies;
  };
  const next = (begunAtMs = Number.POSITIVE_INFINITY) =>
    waiting.nextIn(batch, { outcomes, begunAtMs });
  return { waiting, batch, outcomes, told, add, take, next };
}

test('long work has its operation behind the others, and the rest in later turns of the commit', async () => {
  const { waiting, outcomes, told, add, take, next } = opened();
  add(OF_NO_ACCOUNT);
  expect([waiting.size, waiting.operations, waiting.isLong]).toEqual([2, 1, true]);
  await waiting.turn();
  expect(take()).toEqual(['of 0', 'turn 1']);
  await next();
  expect(take()).toEqual(['turn 2']);
  expect(next()).toBeUndefined();
  expect(waiting.size).toBe(0);
  for (const tell of waiting.takeDone(outcomes)) tell();
  expect(told).toEqual([['turn 1', 'turn 2']]);
  expect(waiting.takeDone(outcomes)).toEqual([]);
});

test('behind an operation of an account a commit has no further turn', async () => {
  const { waiting, add, take, next } = opened();
  add(ACCOUNT);
  expect(waiting.isLong).toBe(false);
  await waiting.turn();
  expect(take()).toEqual(['of 7', 'turn 1']);
  expect(next()).toBeUndefined();
  expect(waiting.size).toBe(1);
});

test('before its turn long work has no operation, and a commit without others does not begin', async () => {
  const { waiting, add, take } = opened();
  expect([waiting.isReady, take()]).toEqual([false, []]);
  add(ACCOUNT);
  expect([waiting.isReady, take()]).toEqual([true, ['of 7']]);
  await waiting.turn();
  expect(waiting.isReady).toBe(true);
});

test('an account that comes between two turns is served at once, and long work goes on later', async () => {
  const { waiting, add, take, next } = opened();
  await waiting.turn();
  expect(take()).toEqual(['turn 1']);
  expect(next()).toBeInstanceOf(Promise);
  add(ACCOUNT);
  expect(take()).toEqual(['of 7']);
  expect(next()).toBeUndefined();
  expect(waiting.size).toBe(1);
});

test('a commit that has lasted has no further turn', async () => {
  const { waiting, take, next } = opened();
  await waiting.turn();
  expect(take()).toEqual(['turn 1']);
  expect(next(Number.NEGATIVE_INFINITY)).toBeUndefined();
});

test('all that wait are refused together', () => {
  const { waiting, told, add, take } = opened();
  add(ACCOUNT);
  add(OF_NO_ACCOUNT);
  const error = new Error('gone');
  for (const { settle } of waiting.takeAll()) settle({ isDone: false, error });
  expect(told).toEqual([{ isDone: false, error }, { isDone: false, error }, error]);
  expect([waiting.size, take()]).toEqual([0, []]);
});
