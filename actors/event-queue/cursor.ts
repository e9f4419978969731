import { type EventQueue, isAttached, type QueueFields, type QueueRecord } from './queue.ts';

/** Why a consumer was not attached, in the words of the API's errors. */
export type Attachment = 'attached' | 'unknown' | 'pruned' | 'not in queue';

/** The positions of queues in the log, and from where they can go on. */
export interface Cursors {
  /** Tells what becomes of a consumer that has everything up to `lastEventId`; changes nothing. */
  judge(queue: EventQueue, lastEventId: number): Attachment;
  /** Notes what the client has. Its consumer goes on, whatever the log still holds. */
  acknowledge(queue: EventQueue, lastEventId: number): Exclude<Attachment, 'unknown'>;
  /**
   * Tells whether a client that has everything up to `position` misses nothing of what the queue
   * passed.
   */
  hasAll(queue: EventQueue, position: number): boolean;
  /** Tells whether the log has lost something that the queue has not delivered. */
  isLeftBehind(queue: EventQueue): boolean;
}

interface CursorsInput {
  /** The newest announced event. */
  readonly head: () => number;
  /** Everything up to this event has been removed from the log. */
  readonly logStart: () => number;
}

export function openCursors({ head, logStart }: CursorsInput): Cursors {
  const hasAll = (queue: EventQueue, position: number) =>
    position === queue.deliveredId && reached(queue, head()) >= position;

  function refusal(queue: EventQueue, lastEventId: number): 'pruned' | 'not in queue' | undefined {
    if (lastEventId > Math.max(head(), queue.startedAt)) return 'not in queue';
    return positionOf(queue, lastEventId) < queue.acknowledged ? 'pruned' : undefined;
  }

  return {
    hasAll,
    judge(queue, lastEventId) {
      const refused = refusal(queue, lastEventId);
      if (refused !== undefined) return refused;
      const position = positionOf(queue, lastEventId);
      const from = hasAll(queue, position) ? reached(queue, head()) : position;
      // Only this error makes clients register again; with any other they would poll for ever.
      return from < logStart() ? 'unknown' : 'attached';
    },
    acknowledge(queue: QueueFields | QueueRecord, lastEventId) {
      const refused = refusal(queue, lastEventId);
      if (refused !== undefined) return refused;
      if (lastEventId > queue.acknowledged) queue.acknowledged = lastEventId;
      return 'attached';
    },
    isLeftBehind: (queue) => Math.max(queue.acknowledged, reached(queue, head())) < logStart(),
  };
}

/**
 * Returns the event up to which everything was delivered or was not for the queue. A live queue is
 * at the head, or before the events that it has pending.
 */
export function reached(queue: EventQueue, head: number): number {
  if (!isAttached(queue) || !queue.isLive) return queue.position;
  const unwritten = queue.pending?.events[0]?.entry.id;
  return unwritten === undefined ? head : unwritten - 1;
}

/** Returns the position that a client names; `-1` stands for the one at which the queue began. */
export const positionOf = (queue: EventQueue, lastEventId: number) =>
  lastEventId === -1 ? queue.startedAt : lastEventId;

/** Remembers that the queue's row now says how much was acknowledged. */
export function noteWritten(queue: QueueFields | QueueRecord, acknowledged: number) {
  queue.noted = acknowledged;
}

/** Notes that the consumer got something at this time (UNIX ms), which puts off a heartbeat. */
export function noteHeard(queue: QueueFields, now: number) {
  queue.waitingSince = now;
}

/** The place of a queue, as its holder tells it to the process that keeps its record. */
export interface Standing {
  readonly acknowledged: number;
  readonly position: number;
  readonly deliveredId: number;
}

/** Returns where a queue stands, for the process that keeps its record. */
export const standingOf = (queue: EventQueue, head: number): Standing => ({
  acknowledged: queue.acknowledged,
  position: reached(queue, head),
  deliveredId: queue.deliveredId,
});

/** Notes in the record of a queue where the process that holds it says that it stands. */
export function noteStanding(queue: QueueRecord, standing: Standing, now: number) {
  queue.acknowledged = Math.max(queue.acknowledged, standing.acknowledged);
  queue.position = Math.max(queue.position, standing.position);
  queue.deliveredId = Math.max(queue.deliveredId, standing.deliveredId);
  queue.waitingSince = now;
}
