import { expect, test } from 'vitest';
import { batchOf } from '../../../actors/event-queue/batch.ts';
import { openCursors, positionOf, reached } from '../../../actors/event-queue/cursor.ts';
import type { AttachedQueue, DetachedQueue } from '../../../actors/event-queue/queue.ts';
import { announced } from '../../../src/events/for-client.ts';

const HEAD = 20;

/** A queue of which nothing is looked at but its position. */
const detached = (fields: Partial<DetachedQueue> = {}): DetachedQueue =>
  ({
    startedAt: 3,
    acknowledged: 5,
    position: 10,
    deliveredId: 8,
    owner: null,
    ...fields,
  }) as DetachedQueue;

const attached = (fields: Partial<AttachedQueue> = {}) =>
  ({ ...detached(), owner: {}, isLive: false, pending: null, ...fields }) as AttachedQueue;

const opened = (logStart = 0) => openCursors({ head: () => HEAD, logStart: () => logStart });

const event = (id: number) =>
  announced({ id, at: 0, event: { type: 'heartbeat' }, audience: { heartbeat: true } });

test('a live queue is at the head or before what it has pending, any other at its own position', () => {
  expect(reached(detached(), HEAD)).toBe(10);
  expect(reached(attached(), HEAD)).toBe(10);
  expect(reached(attached({ isLive: true }), HEAD)).toBe(HEAD);
  expect(reached(attached({ isLive: true, pending: batchOf([event(15)]) }), HEAD)).toBe(14);
  expect(positionOf(detached(), -1)).toBe(3);
  expect(positionOf(detached(), 7)).toBe(7);
});

test.each([
  { from: 21, logStart: 0, expected: 'not in queue' },
  { from: 4, logStart: 0, expected: 'pruned' },
  { from: -1, logStart: 0, expected: 'pruned' },
  { from: 5, logStart: 5, expected: 'attached' },
  { from: 5, logStart: 6, expected: 'unknown' },
  // A client with the newest that was delivered goes on at the queue's position.
  { from: 8, logStart: 9, expected: 'attached' },
  { from: 8, logStart: 11, expected: 'unknown' },
  { from: 9, logStart: 9, expected: 'attached' },
])('a client that has everything up to $from of a log after $logStart is $expected', (given) => {
  expect(opened(given.logStart).judge(detached(), given.from)).toBe(given.expected);
});

test('what a client says it has only ever grows', () => {
  const cursors = opened();
  for (const queue of [detached(), attached()]) {
    expect(cursors.acknowledge(queue, 8)).toBe('attached');
    expect(queue.acknowledged).toBe(8);
    expect(cursors.acknowledge(queue, 7)).toBe('pruned');
    expect(cursors.acknowledge(queue, 21)).toBe('not in queue');
    expect(queue.acknowledged).toBe(8);
  }
});

test('a queue is left behind when the log has lost what it has neither delivered nor was told of', () => {
  expect(opened(10).isLeftBehind(detached())).toBe(false);
  expect(opened(11).isLeftBehind(detached())).toBe(true);
  expect(opened(11).isLeftBehind(detached({ acknowledged: 11 }))).toBe(false);
});
