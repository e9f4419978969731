import type { EventQueue } from './queue.ts';

/** Why a consumer was not attached, in the words of the API's errors. */
export type Attachment = 'attached' | 'unknown' | 'pruned' | 'not in queue';

/** Where queues stand in the log, and from where they can go on. */
export interface Positions {
  /** What becomes of a consumer that has everything up to `lastEventId`; changes nothing. */
  judge(queue: EventQueue, lastEventId: number): Attachment;
  /** The consumer that the queue has goes on, whatever the log still holds. */
  acknowledge(queue: EventQueue, lastEventId: number): Exclude<Attachment, 'unknown'>;
  /** Whether a client with everything up to `position` goes on where the queue is: nothing in between was for it. */
  hasAll(queue: EventQueue, position: number): boolean;
  /** Whether something that the queue has not handed out is no longer in the log. */
  isLeftBehind(queue: EventQueue): boolean;
}

interface PositionsInput {
  /** The newest announced event. */
  readonly head: () => number;
  /** Everything up to this event has been removed from the log. */
  readonly logStart: () => number;
}

export function openPositions({ head, logStart }: PositionsInput): Positions {
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
      // Clients register again on this alone; with any other error they would poll for ever.
      return from < logStart() ? 'unknown' : 'attached';
    },
    acknowledge(queue, lastEventId) {
      const refused = refusal(queue, lastEventId);
      if (refused !== undefined) return refused;
      if (lastEventId > queue.acknowledged) queue.acknowledged = lastEventId;
      return 'attached';
    },
    isLeftBehind: (queue) => Math.max(queue.acknowledged, reached(queue, head())) < logStart(),
  };
}

/** Everything up to here has been handed out or was not for it. A live queue stands at the head, or before what it has pending. */
export function reached(queue: EventQueue, head: number): number {
  if (!queue.isLive) return queue.position;
  const unwritten = queue.pending?.events[0]?.entry.id;
  return unwritten === undefined ? head : unwritten - 1;
}

/** `-1` stands for the position at which a queue began. */
export const positionOf = (queue: EventQueue, lastEventId: number) =>
  lastEventId === -1 ? queue.startedAt : lastEventId;
