import { type AnyActorRef, createActor } from 'xstate';
import { compileQueueNarrow, parseQueueNarrow } from '../../src/domain/narrow.ts';
import type { Consumer } from '../../src/events/delivery.ts';
import { formOf } from '../../src/events/for-client.ts';
import type { QueueRow } from '../../storage/tables/queues.ts';
import type { Clock } from '../clock.ts';
import { type EventQueue, queueMachine } from '../event-queue.ts';
import { tell } from '../tell.ts';
import type { Feed } from './feed.ts';
import { type Attachment, openPositions, type Positions, positionOf } from './positions.ts';

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
  /** Ends the queue: its consumer is told why, its actor stops. The row is removed by the caller. */
  end(queue: EventQueue, why?: EndOfQueue): void;
  /** Ends the actors and keeps the rows: the queues are taken up again when the realm is. */
  close(): void;
  all(): ReadonlyMap<string, EventQueue>;
  ofUser(userId: number): readonly EventQueue[];
}

type EndOfQueue = Parameters<Consumer['ended']>[0];

interface QueuesInput {
  /** The realm's actor, whose children the queues are. */
  readonly owner: AnyActorRef;
  readonly feed: Feed;
  readonly clock: Clock;
  /** The oldest position from which the log can still be read. */
  readonly logStart: () => number;
  readonly onExpired: (queue: EventQueue) => void;
}

export function openQueues({ owner, feed, clock, logStart, onExpired }: QueuesInput): Queues {
  const queues = new Map<string, EventQueue>();
  const positions = openPositions({ head: feed.head, logStart });

  function open(id: string, row: QueueRow) {
    const queue = queueFrom(id, row, clock.now());
    queue.actor = createActor(queueMachine, {
      parent: owner,
      input: {
        idleLimitMs: row.options.idleSeconds * 1000,
        onDetached: () => feed.leave(queue),
        onExpired: () => onExpired(queue),
      },
    }).start();
    queues.set(id, queue);
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
      tell(queue.actor, { type: 'attach' });
      feed.join(queue);
    }
    const position = positionOf(queue, lastEventId);
    const goesOn = positions.hasAll(queue, position);
    feed.feed(queue, { consumer, position: goesOn ? 'where it was' : position });
    return 'attached';
  }

  return {
    open,
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
        if (!queue.isLive) setImmediate(look);
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
      tell(queue.actor, { type: 'end' });
      queue.actor = null;
      consumer?.ended(why);
    },
    close() {
      for (const queue of queues.values()) {
        tell(queue.actor, { type: 'end' });
        queue.actor = null;
      }
    },
    all: () => queues,
    ofUser: (userId) => [...queues.values()].filter((queue) => queue.userId === userId),
  };
}

/** The accounts never have this version, so that no header is taken for that of a queue which nobody has polled. */
const NEVER = -1;

function queueFrom(id: string, row: QueueRow, now: number): EventQueue {
  const { options } = row;
  const matches = compileQueueNarrow(parseQueueNarrow(options.narrow));
  const types = options.eventTypes === null ? null : new Set([...options.eventTypes, 'heartbeat']);
  // In memory the fields stand in this order: first what each event and each poll look at, so that it is near each other.
  return {
    id,
    userId: row.userId,
    form: formOf(options),
    takesAllMessages: matches === null && (types === null || types.has('message')),
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
    types,
    matches,
    options,
    noted: row.acknowledged,
    actor: null,
  };
}
