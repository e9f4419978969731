import { noteStanding, type Standing } from '../event-queue/cursor.ts';
import { type EventQueue, isAttached } from '../event-queue/queue.ts';

/** The number of a process that serves clients for this one. */
export type Holder = number;

/**
 * The queues whose consumers are at other processes, and which of them has each. Here they are
 * detached, and their idle life stands still.
 */
export interface Holds {
  /**
   * Notes that a consumer of the queue has come to this process. Returns the process where another
   * one was; undefined for none, null if there is no such queue any more, and `here` if a consumer
   * came to this process after it, which stays.
   */
  hold(
    holder: Holder,
    id: string,
    standing: Standing,
    at?: number,
  ): Holder | undefined | null | 'here';
  /** The consumer has gone, or a newer one is at another process. */
  letGo(holder: Holder, id: string, standing: Standing): void;
  /** Notes where a held queue stands. */
  note(id: string, standing: Standing): void;
  /** A process is gone with all of its consumers. */
  gone(holder: Holder): void;
  /** The queue has ended; returns the process that has to be told. */
  end(id: string): Holder | undefined;
  has(id: string): boolean;
  ids(): Iterable<string>;
  count(): number;
}

interface HoldsInput {
  readonly queueOf: (id: string) => EventQueue | undefined;
  readonly now: () => number;
  /**
   * In a process that has consumers itself: tells whether one came to the queue after this moment
   * (`momentMs`). One that came before is replaced.
   */
  readonly keepsHere?: (id: string, at: number) => boolean;
}

export function openHolds({ queueOf, now, keepsHere }: HoldsInput): Holds {
  const holders = new Map<string, Holder>();

  function note(id: string, standing: Standing): boolean {
    const queue = queueOf(id);
    if (queue === undefined || isAttached(queue)) return false;
    noteStanding(queue as Parameters<typeof noteStanding>[0], standing, now());
    return true;
  }

  return {
    hold(holder, id, standing, at = Number.POSITIVE_INFINITY) {
      if (keepsHere?.(id, at)) return 'here';
      if (!note(id, standing)) return null;
      const former = holders.get(id);
      holders.set(id, holder);
      return former === holder ? undefined : former;
    },
    letGo(holder, id, standing) {
      note(id, standing);
      if (holders.get(id) === holder) holders.delete(id);
    },
    note: (id, standing) => void note(id, standing),
    gone(holder) {
      for (const [id, other] of holders) {
        if (other !== holder) continue;
        holders.delete(id);
        const queue = queueOf(id);
        if (queue !== undefined) note(id, queue);
      }
    },
    end(id) {
      const holder = holders.get(id);
      holders.delete(id);
      return holder;
    },
    has: (id) => holders.has(id),
    ids: () => holders.keys(),
    count: () => holders.size,
  };
}
