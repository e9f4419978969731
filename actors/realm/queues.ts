import type { Consumer } from '../../src/events/delivery.ts';
import type { QueueRow } from '../../storage/tables/realm/events.ts';
import type { Clock } from '../clock.ts';
import {
  type Attachment,
  openPositions,
  type Positions,
  positionOf,
} from '../event-queue/positions.ts';
import { type EventQueue, type QueueCommand, tellQueue } from '../event-queue/queue.ts';
import { openQueueKinds, type QueueKind } from '../event-queue/queue-kinds.ts';
import type { Feed } from './feed.ts';

/** The event queues of a realm: opening, finding, attaching, ending. */
export interface Queues {
  /** A queue that was just committed, or is read back at start. */
  open(id: string, row: QueueRow): void;
  /** The queue, if this user owns it. */
  find(id: string, userId: number): EventQueue | undefined;
  /**
   * Acknowledges everything up to `lastEventId` and gives the queue this consumer, in place of any other.
   * `-1` stands for the position at which a fresh queue began.
   */
  attach(queue: EventQueue, lastEventId: number, consumer: Consumer): Attachment;
  readonly positions: Positions;
  /** This consumer is gone; nothing happens when another one has taken its place. */
  consumerGone(queue: EventQueue, consumer: Consumer): void;
  /** The consumer's buffer has drained. */
  resume(queue: EventQueue): void;
  /** Calls back as soon as everything logged has been looked at and the consumer still waits. */
  whenCaughtUp(queue: EventQueue, consumer: Consumer, callback: () => void): void;
  /** Ends the queue: its consumer is told why, its actor ends. The row is removed by the caller. */
  end(queue: EventQueue, why?: EndOfQueue): void;
  /** Wakes the queue's actor for this command. */
  tell(queue: EventQueue, command: QueueCommand): void;
  all(): ReadonlyMap<string, EventQueue>;
  ofUser(userId: number): readonly EventQueue[];
}

type EndOfQueue = Parameters<Consumer['ended']>[0];

interface QueuesInput {
  readonly feed: Feed;
  readonly clock: Clock;
  /** The oldest position from which the log can still be read. */
  readonly logStart: () => number;
  /** Nobody attached it for too long, and it is there no more. */
  readonly onExpired: (queue: EventQueue) => void;
}

export function openQueues({ feed, clock, logStart, onExpired }: QueuesInput): Queues {
  const queues = new Map<string, EventQueue>();
  const positions = openPositions({ head: feed.head, logStart });
  const kinds = openQueueKinds();

  function tell(queue: EventQueue, command: QueueCommand) {
    tellQueue(queue, command, {
      onDetached() {
        feed.leave(queue);
        queue.waitingSince = clock.now();
      },
      onExpired() {
        queues.delete(queue.id);
        onExpired(queue);
      },
    });
  }

  function attach(queue: EventQueue, lastEventId: number, consumer: Consumer) {
    const attachment = positions.judge(queue, lastEventId);
    if (attachment !== 'attached') return attachment;
    positions.acknowledge(queue, lastEventId);
    const former = queue.consumer;
    if (former !== null) {
      feed.stop(queue);
      former.replaced();
    }
    if (queue.listener === null) {
      tell(queue, { type: 'attach' });
      feed.join(queue);
    }
    const position = positionOf(queue, lastEventId);
    const goesOn = positions.hasAll(queue, position);
    feed.feed(queue, { consumer, position: goesOn ? 'where it was' : position });
    return 'attached';
  }

  return {
    open(id, row) {
      queues.set(id, queueFrom(id, row, { kind: kinds.of(row.options), now: clock.now() }));
    },
    find(id, userId) {
      const queue = queues.get(id);
      return queue?.userId === userId ? queue : undefined;
    },
    positions,
    attach,
    consumerGone(queue, consumer) {
      if (queue.consumer === consumer) feed.stop(queue);
    },
    resume: (queue) => feed.resume(queue),
    whenCaughtUp(queue, consumer, callback) {
      const look = () => {
        if (queue.consumer !== consumer) return;
        if (!queue.isLive || queue.pending !== null) setImmediate(look);
        else {
          feed.stop(queue);
          callback();
        }
      };
      look();
    },
    end(queue, why = 'queue gone') {
      queues.delete(queue.id);
      const { consumer } = queue;
      feed.stop(queue);
      tell(queue, { type: 'end' });
      consumer?.ended(why);
    },
    tell,
    all: () => queues,
    ofUser: (userId) => [...queues.values()].filter((queue) => queue.userId === userId),
  };
}

/** The accounts never have this version, so that no header is taken for that of a queue which nobody has polled. */
const NEVER = -1;

interface Opening {
  readonly kind: QueueKind;
  /** UNIX ms. */
  readonly now: number;
}

function queueFrom(id: string, row: QueueRow, { kind, now }: Opening): EventQueue {
  // In memory the fields stand in this order: first what each event and each poll look at, so that it is near each other.
  return {
    id,
    userId: row.userId,
    form: kind.form,
    takesAllMessages: kind.takesAllMessages,
    isLive: false,
    pending: null,
    consumer: null,
    listener: null,
    position: row.acknowledged,
    deliveredId: row.acknowledged,
    acknowledged: row.acknowledged,
    startedAt: row.startedAt,
    isCatchingUp: false,
    polledWith: '',
    polledAt: NEVER,
    waitingSince: now,
    types: kind.types,
    matches: kind.matches,
    options: kind.options,
    noted: row.acknowledged,
    state: 'registered',
  };
}
