import type { Clock } from '../../../../actors/clock.ts';
import { QUESTION_MS } from '../bounds.ts';
import { ClusterClosedError, LogUnreachableError } from '../errors.ts';
import type { Cut, NodeFaults } from './faults.ts';

/** The way between one node and the cluster in memory. */
export interface MemoryLink {
  readonly node: string;
  readonly clock: Clock;
  readonly faults: NodeFaults;
  /** Tells whether requests of the node arrive at present. */
  sends(): boolean;
  /** Tells whether answers reach the node at present. */
  hears(): boolean;
  isClosed(): boolean;
  cut(cut: Cut): void;
  heal(): void;
  close(): void;
  /** Asks the cluster for something that it knows at once. */
  ask<Value>(work: () => Value): Promise<Value>;
  /**
   * Waits for something by the clock. Resolves with undefined if it takes too long; rejects when
   * the node is closed.
   */
  within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined>;
  /** Calls back when the way was cut, healed, or closed. Returns what ends that. */
  watch(onChange: () => void): () => void;
}

export function openMemoryLink(node: string, clock: Clock): MemoryLink {
  let cuts: { readonly requests: boolean; readonly answers: boolean } = WHOLE;
  let isClosed = false;
  const watchers = new Set<() => void>();
  function tellWatchers(): void {
    for (const onChange of [...watchers]) onChange();
  }

  function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const timer = clock.setTimeout(() => end(() => resolve(undefined)), ms);
      const unwatch = watch(() => {
        if (isClosed) end(() => reject(new ClusterClosedError('The node was closed')));
      });
      const end = (outcome: () => void) => {
        clock.clearTimeout(timer);
        unwatch();
        outcome();
      };
      work.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }
  function watch(onChange: () => void): () => void {
    watchers.add(onChange);
    return () => watchers.delete(onChange);
  }
  async function unanswered(): Promise<never> {
    await within(QUESTION_MS, NEVER);
    throw new LogUnreachableError(`The cluster did not answer within ${QUESTION_MS} ms`);
  }

  return {
    node,
    clock,
    faults: {},
    sends: () => !isClosed && !cuts.requests,
    hears: () => !isClosed && !cuts.answers,
    isClosed: () => isClosed,
    cut(cut) {
      cuts = { requests: cut !== 'answers', answers: cut !== 'requests' };
      tellWatchers();
    },
    heal() {
      cuts = WHOLE;
      tellWatchers();
    },
    close() {
      isClosed = true;
      tellWatchers();
    },
    async ask(work) {
      await undefined;
      if (isClosed) throw new ClusterClosedError('The node was closed');
      if (cuts.requests) return unanswered();
      const value = work();
      return cuts.answers ? unanswered() : value;
    },
    within,
    watch,
  };
}

/** Stands for what is lost on its way. */
export const NEVER = new Promise<never>(() => {});

const WHOLE = { requests: false, answers: false };
