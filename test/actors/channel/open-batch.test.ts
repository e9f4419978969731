import { expect, test } from 'vitest';
import {
  addToOpenBatch,
  type ChannelFields,
  closeOpenBatch,
} from '../../../actors/channel/open-batch.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import { announced } from '../../../src/events/for-client.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { messageIn, queueOptions } from '../../support/actors/listening.ts';

/** A queue of which nothing is looked at but its filter and what it has pending. */
function queueOf(id: string, options: Partial<QueueOptions> = {}, isLive = true): AttachedQueue {
  const kind = openQueueKinds().of(queueOptions(options));
  const { format, takesAllMessages } = kind;
  return { id, kind, format, takesAllMessages, isLive, pending: null } as AttachedQueue;
}

function channelOf(...audience: AttachedQueue[]): ChannelFields {
  const tail = openLogTail({
    reader: {} as RealmReader,
    record: openRealmRecord(),
    head: 0,
    now: 0,
  });
  return { channelId: 3, tail, audience: new Set(audience), openBatch: null };
}

const message = (id: number) => announced(messageIn(3, id));
const pendingOf = ({ pending }: AttachedQueue) => pending?.events.map(({ entry }) => entry.id);

test('the first event opens a batch of the channel, and later ones join it', () => {
  const channel = channelOf();
  const [first, second] = [message(1), message(2)];
  addToOpenBatch(channel, first);
  const { openBatch } = channel;
  addToOpenBatch(channel, second);
  expect(channel.openBatch).toBe(openBatch);
  expect(openBatch).toMatchObject({ channelId: 3, isJoined: false, events: [first, second] });
});

test('closing gives the audience the batch, which its queues share, and no queue has it twice', () => {
  const queues = [queueOf('a'), queueOf('b')];
  const channel = channelOf(...queues);
  addToOpenBatch(channel, message(1));
  const { openBatch } = channel;
  closeOpenBatch(channel);
  expect(channel.openBatch).toBeNull();
  expect(queues[0]?.pending).toBe(openBatch);
  expect(queues[1]?.pending).toBe(openBatch);
  expect(channel.tail.unflushed).toEqual(queues);
  closeOpenBatch(channel);
  expect(queues.map(pendingOf)).toEqual([[1], [1]]);
});

test('an event after closing opens another batch, and the former stays as it was given', () => {
  const queue = queueOf('a');
  const channel = channelOf(queue);
  addToOpenBatch(channel, message(1));
  closeOpenBatch(channel);
  const given = queue.pending;
  addToOpenBatch(channel, message(2));
  expect(given?.events).toHaveLength(1);
  expect(pendingOf(queue)).toEqual([1]);
  closeOpenBatch(channel);
  expect(pendingOf(queue)).toEqual([1, 2]);
  expect(given?.events).toHaveLength(1);
});

test('a queue takes of the batch only what passes its filter, and nothing while it is not live', () => {
  const filtered = queueOf('a', { eventTypes: ['presence'] });
  const behind = queueOf('b', {}, false);
  const channel = channelOf(filtered, behind);
  addToOpenBatch(channel, message(1));
  closeOpenBatch(channel);
  expect([filtered.pending, behind.pending]).toEqual([null, null]);
  expect(channel.tail.unflushed).toEqual([]);
});

test('closing without an open batch does nothing', () => {
  const queue = queueOf('a');
  const channel = channelOf(queue);
  closeOpenBatch(channel);
  expect([channel.openBatch, queue.pending]).toEqual([null, null]);
});
