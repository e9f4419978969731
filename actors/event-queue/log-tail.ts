import type { RealmRecord } from '../../src/metrics/recorders.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { type Batch, batchOf, type SharedEncodings } from './batch.ts';
import type { AttachedQueue } from './queue.ts';
import { type RecentEvents, recentEvents } from './recent-events.ts';

/**
 * The log of a realm as its queues deliver from it: how far it is announced, and what they share.
 */
export interface LogTail {
  readonly reader: RealmReader;
  readonly recent: RecentEvents;
  readonly record: RealmRecord;
  /** Encodings of single events, until nothing is pending: many queues mix several channels. */
  readonly shared: SharedEncodings;
  /** The batch of the last queue that caught up: after a restart thousands are due the same. */
  caughtUp: Batch;
  /** Queues with something pending. */
  unflushed: AttachedQueue[];
  /** The next turn goes on flushing. A bug in routing may leave queues for which nobody waits. */
  isFlushing: boolean;
  /** When the oldest of the events that are being flushed was announced, by `performance.now()`. */
  announcedAtMs: number;
  /** The newest announced event. */
  head: number;
  /** The time (UNIX ms) of the last sweep: a clock read costs as much as finding a poll's queue. */
  now: number;
}

export const openLogTail = (
  given: Pick<LogTail, 'reader' | 'record' | 'head' | 'now'>,
): LogTail => ({
  ...given,
  recent: recentEvents(),
  shared: new Map(),
  caughtUp: batchOf(),
  unflushed: [],
  isFlushing: false,
  announcedAtMs: 0,
});
