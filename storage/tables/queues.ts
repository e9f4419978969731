import type { QueueOptions } from '../../src/domain/queue-options.ts';
import { table } from '../table.ts';

export interface QueueRow {
  readonly userId: number;
  readonly options: QueueOptions;
  /** The log position of its snapshot. */
  readonly startedAt: number;
  /** Acknowledged up to here when last noted; written now and then, so it may lag behind, never ahead. */
  readonly acknowledged: number;
  /** Of the key that it was registered with; absent where that is not known. */
  readonly keyHash?: string | undefined;
}

export const queues = table<[queueId: string], QueueRow>('queues', [
  'userId',
  'options',
  'startedAt',
  'acknowledged',
  'keyHash',
]);
