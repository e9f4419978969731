import type { AnyActorRef } from 'xstate';
import type { Consumer } from '../../src/events/delivery.ts';
import type { RealmRecord } from '../../src/metrics/recorders.ts';
import type { QueueRow } from '../../storage/tables/realm/events.ts';
import type { Clock } from '../clock.ts';
import { type Attachment, type Cursors, openCursors, positionOf } from '../event-queue/cursor.ts';
import {
  type AttachedQueue,
  type DetachedQueue,
  type EventQueue,
  isAttached,
  openQueue,
  type QueueOwner,
  startQueue,
  transitionQueue,
} from '../event-queue/queue.ts';
import { openQueueKinds } from '../event-queue/queue-kinds.ts';
import type { FanOut } from './fan-out.ts';

/**
 * The event queues of a realm. A queue that is attached or detached becomes another object, so code
 * that remembers a queue remembers its id.
 */
export interface Queues {
  /** Opens a queue that was just committed, or is read back at a start. */
  open(id: string, row: QueueRow): void;
  /** Returns the queue, if this user owns it. */
  find(id: string, userId: number): EventQueue | undefined;
  /**
   * Acknowledges everything up to `lastEventId` and gives the queue this consumer, in place of any
   * other. `-1` stands for the position at which a fresh queue began.
   */
  attach(queue: EventQueue, lastEventId: number, consumer: Consumer): Attachment;
  readonly cursors: Cursors;
  /** Tells whether the consumer waits at the queue. */
  isWaiting(id: string, consumer: Consumer): boolean;
  /** Takes away a consumer that has gone; does nothing if another one has taken its place. */
  consumerGone(id: string, consumer: Consumer): void;
  /** Delivers more to a consumer whose buffer has drained, if it is still the queue's. */
  resume(id: string, consumer: Consumer): void;
  /** Calls back once the whole log was looked at and the consumer still waits. */
  whenCaughtUp(id: string, consumer: Consumer, callback: () => void): void;
  /** Stops the actor of a queue that nobody has polled for a while. */
  detach(queue: AttachedQueue): void;
  /** Tells the consumer that another one has come elsewhere, and stops the actor. */
  replace(queue: AttachedQueue): void;
  /** Drops the record of a queue that is kept elsewhere. */
  forget(queue: DetachedQueue): void;
  /** Drops a detached queue whose idle life is over, and has its row removed. */
  expire(queue: DetachedQueue): void;
  /** Ends the queue and tells its consumer why. The caller removes the row. */
  end(id: string, why?: EndOfQueue, reason?: EndReason): void;
  all(): ReadonlyMap<string, EventQueue>;
}

export type EndOfQueue = Parameters<Consumer['ended']>[0];
type EndReason = keyof RealmRecord['queuesEnded'];

interface QueuesInput {
  readonly fanOut: FanOut;
  readonly clock: Clock;
  /** The realm's actor. */
  readonly owner: AnyActorRef;
  readonly record: RealmRecord;
  /** The newest event that a client may have; by default the newest that was announced. */
  readonly head?: () => number;
  /** The oldest position from which the log can still be read. */
  readonly logStart: () => number;
  /** Removes the row of a queue that has expired. */
  readonly onExpired: (queue: DetachedQueue) => void;
  /** Called when a queue ends, here or at another process. */
  readonly onEnded?: ((id: string, why: EndOfQueue) => void) | undefined;
  /** Called when a consumer has come to a queue. */
  readonly onAttached?: ((id: string) => void) | undefined;
  /** In a process that does not keep the records of queues: what does. */
  readonly records?: RecordKeeper | undefined;
}

/** Keeps the records of queues for a process that has only those which are attached there. */
export interface RecordKeeper {
  /** Returns the row of a queue as it is committed. */
  rowOf(id: string): QueueRow | undefined;
  /** A consumer has come; `isNew` tells whether none has been here before. */
  hold(queue: AttachedQueue, isNew: boolean): void;
  /** Called when nobody has listened here for a while, or a consumer is at another process. */
  letGo(queue: DetachedQueue): void;
}

export function openQueues(input: QueuesInput): Queues {
  const { fanOut, clock, owner, record, logStart, onExpired, records } = input;
  const queues = new Map<string, EventQueue>();
  const cursors = openCursors({ head: input.head ?? fanOut.head, logStart });
  const kinds = openQueueKinds();
  const queueOwner: QueueOwner = {
    actor: owner,
    now: () => clock.now(),
    leave: (queue) => fanOut.leave(queue),
    putAside(queue) {
      if (records === undefined) return queues.set(queue.id, queue);
      queues.delete(queue.id);
      records.letGo(queue);
    },
  };

  function open(id: string, row: QueueRow) {
    const queue = openQueue(id, row, { kind: kinds.of(row.options), now: clock.now() });
    queues.set(id, queue);
    return queue;
  }

  /** Returns a queue whose record is kept elsewhere, if there is one. */
  function lookUp(id: string): EventQueue | undefined {
    const row = records?.rowOf(id);
    return row === undefined ? undefined : open(id, row);
  }

  function attached(queue: EventQueue): AttachedQueue {
    if (isAttached(queue)) return queue;
    const started = startQueue(queue, queueOwner);
    queues.set(queue.id, started);
    return started;
  }

  function attach(found: EventQueue, lastEventId: number, consumer: Consumer) {
    const attachment = cursors.judge(found, lastEventId);
    if (attachment !== 'attached') return attachment;
    cursors.acknowledge(found, lastEventId);
    const queue = attached(found);
    records?.hold(queue, queue !== found);
    input.onAttached?.(queue.id);
    const former = queue.consumer;
    if (former !== null) {
      fanOut.disconnect(queue);
      former.replaced();
    }
    if (queue.listener === null) fanOut.join(queue);
    const position = positionOf(queue, lastEventId);
    const goesOn = cursors.hasAll(queue, position);
    fanOut.connect(queue, { consumer, position: goesOn ? 'where it was' : position });
    return 'attached';
  }

  return {
    open,
    find(id, userId) {
      const queue = queues.get(id) ?? lookUp(id);
      return queue?.userId === userId ? queue : undefined;
    },
    cursors,
    attach,
    ...openConsumers(queues, fanOut),
    detach: (queue) => transitionQueue(queue, { type: 'consumerGone' }),
    forget: ({ id }) => void queues.delete(id),
    expire(queue) {
      queues.delete(queue.id);
      record.queuesEnded.idle += 1;
      onExpired(queue);
    },
    end(id, why = 'queue gone', reason = why === 'queue gone' ? 'deleted' : why) {
      const queue = queues.get(id);
      if (queue !== undefined) input.onEnded?.(id, why);
      if (queues.delete(id)) record.queuesEnded[reason] += 1;
      if (queue === undefined || !isAttached(queue)) return;
      const { consumer } = queue;
      fanOut.disconnect(queue);
      transitionQueue(queue, { type: 'end' });
      consumer?.ended(why);
    },
    all: () => queues,
  };
}

type Consumers = Pick<Queues, 'isWaiting' | 'consumerGone' | 'resume' | 'whenCaughtUp' | 'replace'>;

/** Serves consumers that wait at a queue. A consumer that another one replaced does nothing. */
function openConsumers(queues: ReadonlyMap<string, EventQueue>, fanOut: FanOut): Consumers {
  function waiting(id: string, consumer: Consumer): AttachedQueue | undefined {
    const queue = queues.get(id);
    if (queue === undefined || !isAttached(queue)) return undefined;
    return queue.consumer === consumer ? queue : undefined;
  }

  return {
    isWaiting: (id, consumer) => waiting(id, consumer) !== undefined,
    consumerGone(id, consumer) {
      const queue = waiting(id, consumer);
      if (queue !== undefined) fanOut.disconnect(queue);
    },
    replace(queue) {
      const { consumer } = queue;
      fanOut.disconnect(queue);
      transitionQueue(queue, { type: 'consumerGone' });
      consumer?.replaced();
    },
    resume(id, consumer) {
      const queue = waiting(id, consumer);
      if (queue !== undefined) fanOut.resume(queue);
    },
    whenCaughtUp(id, consumer, callback) {
      const look = () => {
        const queue = waiting(id, consumer);
        if (queue === undefined) return;
        if (!queue.isLive || queue.pending !== null) setImmediate(look);
        else {
          fanOut.disconnect(queue);
          callback();
        }
      };
      look();
    },
  };
}
