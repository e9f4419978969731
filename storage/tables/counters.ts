import { table } from '../table.ts';

/** The last number given out on each number line. Numbers are never used twice, even when a row is deleted. */
export interface Counters {
  /** The head of the event log: the id of the newest event. */
  readonly event: number;
  readonly message: number;
  readonly user: number;
  readonly channel: number;
  readonly recipient: number;
}

/** One row, written once a commit. */
export const counters = table<[only: 'counters'], Counters>('counters', [
  'event',
  'message',
  'user',
  'channel',
  'recipient',
]);
