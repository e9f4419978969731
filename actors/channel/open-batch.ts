import type { Announced } from '../../src/events/for-client.ts';
import { addToBatch, type Batch, batchOf } from '../event-queue/batch.ts';
import { addBatch } from '../event-queue/flush.ts';
import type { LogTail } from '../event-queue/log-tail.ts';
import type { AttachedQueue } from '../event-queue/queue.ts';

/** The context of a channel's actor. Each event changes it in place; only this folder sees it. */
export interface ChannelFields {
  readonly channelId: number;
  readonly tail: LogTail;
  /** The attached queues of the channel's subscribers. */
  readonly audience: Set<AttachedQueue>;
  /** The events of this turn so far, which the queues of the audience share. */
  openBatch: Batch | null;
}

export function addToOpenBatch(channel: ChannelFields, announcement: Announced) {
  const { openBatch, channelId } = channel;
  if (openBatch === null) channel.openBatch = batchOf([announcement], { channelId });
  else addToBatch(openBatch, announcement);
}

/** Gives the open batch to each queue of the audience. The next event opens another one. */
export function closeOpenBatch(channel: ChannelFields) {
  const { openBatch, audience, tail } = channel;
  if (openBatch === null) return;
  channel.openBatch = null;
  for (const queue of audience) addBatch(tail, queue, openBatch);
}
