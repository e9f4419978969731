import type { Announced } from '../../src/events/for-client.ts';
import { type Batch, batchOf, joined } from './batch.ts';
import { deliver } from './delivery.ts';
import { matches } from './filter.ts';
import type { LogTail } from './log-tail.ts';
import type { QueueFields } from './queue.ts';

/** Ten thousand writes take a tenth of a second; between turns, others get their answers. */
const FLUSH_MS_MAX = 20;
/** The number of queues that are written to between two looks at the clock. */
const QUEUES_PER_LOOK = 64;

/** Adds a channel's batch to what a live queue has pending, as far as its filter lets it pass. */
export function addBatch(tail: LogTail, queue: QueueFields, batch: Batch) {
  if (!queue.isLive) return;
  if (!takesAllOf(queue, batch)) {
    for (const announcement of batch.events) addEvent(tail, queue, announcement);
  } else if (queue.pending === null) {
    queue.pending = batch;
    tail.unflushed.push(queue);
  } else {
    queue.pending = joined(queue.pending, batch);
  }
}

/** Adds one event, if it passes the queue's filter. A batch that others share is left as it is. */
export function addEvent(tail: LogTail, queue: QueueFields, announcement: Announced) {
  if (!queue.isLive || !matches(queue, announcement)) return;
  if (queue.pending === null) {
    queue.pending = batchOf([announcement]);
    tail.unflushed.push(queue);
  } else {
    queue.pending = joined(queue.pending, batchOf([announcement]));
  }
}

/** Tells whether every event passes as it is, so that the queue can share the batch. */
const takesAllOf = (queue: QueueFields, batch: Batch) =>
  queue.takesAllMessages && !batch.isFiltered && (!batch.hasOthers || queue.kind.types === null);

/**
 * Writes to each queue what it has pending, once: a write costs more than everything else together.
 * Queues keep the order in which they came to have something; an exception of one costs no other.
 */
export function flush(tail: LogTail) {
  const beginMs = performance.now();
  const endMs = beginMs + FLUSH_MS_MAX;
  const { unflushed, record } = tail;
  if (!tail.isFlushing) tail.announcedAtMs = beginMs;
  let count = 0;
  try {
    for (const queue of unflushed) {
      count += 1;
      flushQueue(tail, queue);
      if (count % QUEUES_PER_LOOK === 0 && performance.now() >= endMs) break;
    }
  } finally {
    tail.unflushed = unflushed.slice(count);
    tail.isFlushing = tail.unflushed.length > 0;
    if (tail.isFlushing) {
      record.turnsCut += 1;
      setImmediate(() => flush(tail));
    } else {
      tail.shared.clear();
      if (count > 0) record.deliveryMs.record(performance.now() - tail.announcedAtMs);
    }
  }
}

function flushQueue(tail: LogTail, queue: QueueFields) {
  const batch = queue.pending;
  queue.pending = null;
  if (batch === null || !queue.isLive) return;
  deliver(tail, queue, { batch, through: tail.head });
}
