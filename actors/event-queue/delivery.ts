import type { Consumer, Delivery } from '../../src/events/delivery.ts';
import type { Announced } from '../../src/events/for-client.ts';
import { type Batch, batchOf, encodedFor } from './batch.ts';
import { takeStep } from './catch-up.ts';
import { reached } from './cursor.ts';
import type { LogTail } from './log-tail.ts';
import type { QueueFields } from './queue.ts';

/** Gives an attached queue a consumer, which has everything up to `position`, and catches up. */
export function connect(
  tail: LogTail,
  queue: QueueFields,
  { consumer, position }: { consumer: Consumer; position: number | 'where it was' },
) {
  stopLive(tail, queue);
  if (position !== 'where it was') queue.position = position;
  queue.consumer = consumer;
  queue.waitingSince = tail.now;
  resume(tail, queue);
}

/** Takes the queue's consumer away: it has gone, or no longer waits. */
export function disconnect(tail: LogTail, queue: QueueFields) {
  stopLive(tail, queue);
  queue.consumer = null;
  queue.waitingSince = tail.now;
}

/** Goes on with a consumer that can take more, or was told to look again. */
export function resume(tail: LogTail, queue: QueueFields) {
  if (queue.isCatchingUp || queue.isLive) return;
  step(tail, queue);
}

/** Takes one bounded step; a queue far behind takes many, and others run in between. */
function step(tail: LogTail, queue: QueueFields) {
  const { consumer, listener } = queue;
  if (consumer === null || listener === null) return;
  if (queue.position < tail.head) {
    const { events, position } = takeStep(tail, queue, listener);
    tail.record.catchUpRows += position - queue.position;
    // The consumer was answered, or is full and will ask again: either way the position is set.
    if (
      events.length > 0 &&
      deliver(tail, queue, { batch: caughtUpBatch(tail, events), through: position }) !== 'taken'
    )
      return;
    queue.position = position;
  }
  if (queue.position === tail.head) {
    queue.isLive = true;
    return;
  }
  // The queue is behind, or ahead of a broadcast that follows in this turn: it goes on after that.
  queue.isCatchingUp = true;
  setImmediate(() => {
    queue.isCatchingUp = false;
    if (!queue.isLive) step(tail, queue);
  });
}

/**
 * Returns the last queue's batch, with all that is encoded of it, to a queue that is due the same
 * events.
 */
function caughtUpBatch(tail: LogTail, events: Announced[]): Batch {
  const last = tail.caughtUp.events;
  if (events.length !== last.length || !events.every((event, index) => event === last[index])) {
    tail.caughtUp = batchOf(events);
  }
  return tail.caughtUp;
}

/** Writes a batch to the consumer; `through` is the position reached when it takes the batch. */
export function deliver(
  tail: LogTail,
  queue: QueueFields,
  { batch, through }: { batch: Batch; through: number },
): Delivery | 'answered' {
  const { consumer } = queue;
  if (consumer === null) return 'dropped';
  const encoded = encodedFor(batch, queue, tail.shared);
  const delivery = consumer.deliver(encoded);
  if (delivery === 'dropped') {
    queue.position = encoded.firstId - 1;
    queue.isLive = false;
    return delivery;
  }
  queue.deliveredId = encoded.lastId;
  if (consumer.takesOne) tail.record.pollDeliveries += 1;
  else tail.record.socketDeliveries += 1;
  if (delivery === 'taken' && !consumer.takesOne) return delivery;
  queue.position = through;
  queue.isLive = false;
  if (!consumer.takesOne) return delivery;
  if (queue.consumer === consumer) queue.consumer = null;
  queue.waitingSince = tail.now;
  return 'answered';
}

/** Takes the queue out of live delivery; from here on its own position counts. */
export function stopLive(tail: LogTail, queue: QueueFields) {
  queue.position = reached(queue, tail.head);
  queue.isLive = false;
  queue.pending = null;
}
