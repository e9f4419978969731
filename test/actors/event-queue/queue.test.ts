import { expect, expectTypeOf, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { noteHeard, noteWritten } from '../../../actors/event-queue/cursor.ts';
import {
  type AttachedQueue,
  type DetachedQueue,
  isAttached,
  isPolledWith,
  notePoller,
  openQueue,
  type QueueCommand,
  type QueueFields,
  type QueueOwner,
  queueSystemId,
  startQueue,
  transitionQueue,
} from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import { QUEUE_OPTIONS } from '../../../bench/stores/growth-store.ts';

const ROW = { userId: 7, options: QUEUE_OPTIONS, startedAt: 3, acknowledged: 5 };
const NOW = 1_000;

/** A realm of which nothing but its actor is looked at, and a queue of it. */
function detached(leave: QueueOwner['leave'] = () => undefined) {
  const heard: string[] = [];
  const put: DetachedQueue[] = [];
  const errors: unknown[] = [];
  const actor = createActor(createMachine({ id: 'realm' })).start();
  actor.subscribe({ error: (error) => errors.push(error) });
  const owner: QueueOwner = {
    actor,
    now: () => NOW,
    leave(queue) {
      heard.push('leave');
      leave(queue);
    },
    putAside(queue) {
      heard.push('put aside');
      put.push(queue);
    },
  };
  const queue = openQueue('q', ROW, { kind: openQueueKinds().of(QUEUE_OPTIONS), now: 0 });
  const running = () => actor.system.get(queueSystemId('q'));
  return { queue, owner, heard, put, errors, running };
}

test('a detached queue has no actor, and attaching starts one from what is kept of it', () => {
  const { queue, owner, running } = detached();
  expect(isAttached(queue)).toBe(false);
  expect(running()).toBeUndefined();
  const attached = startQueue(queue, owner);
  expect(isAttached(attached)).toBe(true);
  expect(running()?.getSnapshot()).toMatchObject({ value: 'attached', status: 'active' });
  expect(running()?.getSnapshot().context.queue).toBe(attached);
  expect(attached).toMatchObject({
    id: 'q',
    userId: 7,
    startedAt: 3,
    acknowledged: 5,
    position: 5,
  });
  expect(attached).toMatchObject({ consumer: null, listener: null, isLive: false });
});

test.each<{ command: QueueCommand['type']; state: string; effects: string[] }>([
  { command: 'consumerGone', state: 'detached', effects: ['leave', 'put aside'] },
  { command: 'end', state: 'ended', effects: ['leave'] },
])('$command stops the actor in the state $state, and later commands mean nothing', (given) => {
  const { queue, owner, heard, running } = detached();
  const attached = startQueue(queue, owner);
  const actor = running();
  transitionQueue(attached, { type: given.command });
  expect(actor?.getSnapshot()).toMatchObject({ value: given.state, status: 'done' });
  expect(running()).toBeUndefined();
  transitionQueue(attached, { type: 'end' });
  expect(heard).toEqual(given.effects);
});

test('what a queue has done while it was attached is kept when its actor stops', () => {
  const { queue, owner, put } = detached();
  const attached = startQueue(queue, owner);
  const fields: QueueFields = attached;
  Object.assign(fields, { acknowledged: 8, position: 9, deliveredId: 9 });
  noteWritten(attached, 8);
  noteHeard(attached, 77);
  transitionQueue(attached, { type: 'consumerGone' });
  const kept = { acknowledged: 8, position: 9, deliveredId: 9, noted: 8, waitingSince: NOW };
  expect(put).toEqual([{ ...queue, ...kept }]);
  const [record = expect.fail()] = put;
  expect(startQueue(record, owner)).toMatchObject({ ...kept, startedAt: 3 });
});

test('an exception on the way out is thrown at the sender, and the realm fails', () => {
  const bug = new Error('a bug');
  const { queue, owner, put, errors } = detached(() => {
    throw bug;
  });
  const attached = startQueue(queue, owner);
  expect(() => transitionQueue(attached, { type: 'consumerGone' })).toThrow(bug);
  expect(put).toEqual([]);
  expect(errors).toEqual([bug]);
});

test('the header of the last poll is known while the queue is attached, for the version it was looked up at', () => {
  const { queue, owner } = detached();
  notePoller(queue, { header: 'Basic x', version: 2 });
  expect(isPolledWith(queue, 'Basic x', 2)).toBe(false);
  const attached = startQueue(queue, owner);
  expect(isPolledWith(attached, '', 2)).toBe(false);
  notePoller(attached, { header: 'Basic x', version: 2 });
  expect(isPolledWith(attached, 'Basic x', 2)).toBe(true);
  expect(isPolledWith(attached, 'Basic y', 2)).toBe(false);
  expect(isPolledWith(attached, 'Basic x', 3)).toBe(false);
});

test('other folders can write no field of a queue', () => {
  expectTypeOf<AttachedQueue>().toEqualTypeOf<Readonly<QueueFields>>();
  expectTypeOf<AttachedQueue>().not.toEqualTypeOf<QueueFields>();
});
