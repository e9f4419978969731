import type { NewRecord } from '../shard-log.ts';

/**
 * Names the ways that are cut between a node and the cluster: requests are lost on the way there,
 * answers (and records, and messages) on the way back.
 */
export type Cut = 'requests' | 'answers' | 'both';

/** One attempt at an append; the first has the number 1. */
export interface Attempt {
  readonly shard: number;
  readonly record: NewRecord;
  readonly number: number;
}

/**
 * Tells what becomes of an attempt: it is lost on its way, it is refused for no reason, its answer
 * is lost, or nothing happens to it.
 */
export type Fate = 'lost' | 'refused' | 'unanswered' | 'arrives';

export interface BusMessage {
  readonly kind: 'message' | 'request' | 'answer';
  readonly subject: string;
  readonly body: Uint8Array;
}

/** Faults that a test brings about for one node. An absent one leaves everything as it is. */
export interface NodeFaults {
  /** Decides about an attempt, which is on its way until the promise resolves. */
  onAttempt?: ((attempt: Attempt) => Fate | Promise<Fate>) | undefined;
  /** The answer to an attempt arrives once this has resolved. */
  onAnswer?:
    | ((attempt: Attempt, outcome: 'stored' | 'refused') => void | Promise<void>)
    | undefined;
  /** A record reaches a reader of the node once this has resolved. */
  onRecord?: ((shard: number, sequence: number) => void | Promise<void>) | undefined;
  /**
   * Returns how many milliseconds later each copy of a message of this node arrives: none loses
   * it, `[0, 0]` repeats it. Of a request and of an answer the first copy alone counts.
   */
  onMessage?: ((message: BusMessage) => readonly number[]) | undefined;
}
