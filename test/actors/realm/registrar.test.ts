import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type AskedQueue,
  openRegistrar,
  type QueueWriter,
  type StoredQueue,
} from '../../../actors/realm/registrar.ts';
import type { Settle } from '../../../actors/realm/waiting-operations.ts';
import type { FollowerStore } from '../../../storage/follower-store.ts';

const ASKED = { userId: 7 } as AskedQueue; // the writer reads it
const QUEUE = { id: 'q', row: { startedAt: 5 } } as StoredQueue; // what is read of a queue

/** A registrar whose store is at `head`, and whose writer answers when the test says. */
function opened({ isTaken = true } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const seen = { head: 5, isTold: true, looks: 0 };
  const added: Settle<StoredQueue>[] = [];
  const begun: { position: number; settle: Settle<undefined> }[] = [];
  const writer: QueueWriter = {
    add: (_, settle) => isTaken && added.push(settle) > 0,
    begin: (_, position, settle) => begun.push({ position, settle }) > 0,
  };
  const store = {
    reader: { head: () => seen.head },
    views: { areTold: () => seen.isTold },
    refresh: () => {
      seen.looks += 1;
    },
  } as unknown as FollowerStore; // what a registrar uses of it
  const registrar = openRegistrar({ store, writer, now: () => 0 });
  const outcomes: unknown[] = [];
  const register = () =>
    registrar.register(
      ASKED,
      (reads) => `state at ${reads.head()}`,
      (outcome) => outcomes.push(outcome),
    );
  return { registrar, register, seen, added, begun, outcomes };
}

const stateAt = (head: number) => ({
  isDone: true,
  reply: { queue: QUEUE, head, state: `state at ${head}` },
});

test('a state is read when the queue is stored', () => {
  const { register, added, begun, outcomes } = opened();
  register();
  vi.runAllTimers();
  expect(outcomes).toEqual([]);
  added[0]?.({ isDone: true, reply: QUEUE });
  vi.runAllTimers();
  expect(outcomes).toEqual([stateAt(5)]);
  expect(begun).toEqual([]);
});

test('a queue begins at a later position if the state is that of one, and then it is answered', () => {
  const { register, added, begun, outcomes, seen } = opened();
  register();
  seen.head = 8;
  added[0]?.({ isDone: true, reply: QUEUE });
  vi.runAllTimers();
  expect(outcomes).toEqual([]);
  expect(begun.map(({ position }) => position)).toEqual([8]);
  begun[0]?.settle({ isDone: true, reply: undefined });
  expect(outcomes).toEqual([stateAt(8)]);
});

test('a state waits for the commit of its queue, and for a second for what was written behind views', () => {
  const { registrar, register, added, outcomes, seen } = opened();
  seen.head = 4;
  seen.isTold = false;
  register();
  added[0]?.({ isDone: true, reply: QUEUE });
  vi.advanceTimersByTime(500);
  seen.head = 5;
  registrar.look();
  expect(outcomes).toEqual([]);
  seen.isTold = true;
  registrar.look();
  expect(outcomes).toEqual([stateAt(5)]);
  seen.isTold = false;
  register();
  added[1]?.({ isDone: true, reply: QUEUE });
  vi.advanceTimersByTime(900);
  expect(outcomes).toHaveLength(1);
  vi.advanceTimersByTime(200);
  expect(outcomes).toEqual([stateAt(5), stateAt(5)]);
});

test('what is not seen yet is looked for now and then, and refused after ten seconds', () => {
  const { registrar, register, added, outcomes, seen } = opened();
  seen.head = 4;
  register();
  added[0]?.({ isDone: true, reply: QUEUE });
  vi.advanceTimersByTime(1_000);
  expect(seen.looks).toBeLessThan(30);
  expect(outcomes).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(outcomes).toMatchObject([{ isDone: false, error: { code: 'SERVER_STOPPING' } }]);
  register();
  added[1]?.({ isDone: true, reply: QUEUE });
  seen.head = 5;
  registrar.look();
  expect(outcomes[1]).toEqual(stateAt(5));
});

test('a caller whose answer throws costs no other one theirs, and is not answered again', () => {
  const { registrar, register, added, outcomes } = opened();
  let calls = 0;
  registrar.read(
    () => 'a state',
    () => {
      calls += 1;
      throw new Error('a bug');
    },
  );
  register();
  added[0]?.({ isDone: true, reply: QUEUE });
  expect(registrar.look).toThrow('a bug');
  vi.runAllTimers();
  expect(calls).toBe(1);
  expect(outcomes).toEqual([stateAt(5)]);
});

test('what the writer refuses is refused, and what it does not take, and what comes after a stop', () => {
  const { registrar, register, added, outcomes } = opened();
  const error = new Error('refused');
  register();
  added[0]?.({ isDone: false, error });
  expect(outcomes).toEqual([{ isDone: false, error }]);
  register();
  added[1]?.({ isDone: true, reply: QUEUE });
  registrar.stop();
  expect(outcomes[1]).toMatchObject({ isDone: false, error: { code: 'SERVER_STOPPING' } });
  registrar.read(
    () => 'a state',
    (outcome) => outcomes.push(outcome),
  );
  expect(outcomes[2]).toMatchObject({ isDone: false, error: { code: 'SERVER_STOPPING' } });
  const busy = opened({ isTaken: false });
  busy.register();
  expect(busy.outcomes).toMatchObject([{ isDone: false, error: { code: 'RATE_LIMIT_HIT' } }]);
});
