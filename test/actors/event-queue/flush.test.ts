import { expect, test } from 'vitest';
import { batchOf } from '../../../actors/event-queue/batch.ts';
import { addBatch, addEvent, flush } from '../../../actors/event-queue/flush.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import { QUEUE_OPTIONS } from '../../../bench/stores/growth-store.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import type { Consumer, EncodedBatch } from '../../../src/events/delivery.ts';
import { announced } from '../../../src/events/for-client.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

const opened = () =>
  openLogTail({ reader: {} as RealmReader, record: openRealmRecord(), head: 9, now: 0 });

/** A live queue with a consumer that keeps what it is handed; nothing else of it is looked at. */
function live(id: string, options: Partial<QueueOptions> = {}, take: () => void = () => undefined) {
  const taken: EncodedBatch[] = [];
  const consumer: Consumer = {
    takesOne: false,
    deliver(batch) {
      take();
      taken.push(batch);
      return 'taken';
    },
    replaced: () => undefined,
    ended: () => undefined,
    stopping: () => undefined,
  };
  const kind = openQueueKinds().of({ ...QUEUE_OPTIONS, eventTypes: null, ...options });
  const { format, takesAllMessages } = kind;
  const fields = { isLive: true, pending: null, consumer, userId: 7 };
  return { queue: { id, kind, format, takesAllMessages, ...fields } as AttachedQueue, taken };
}

const message = (id: number) =>
  announced({
    id,
    at: 0,
    event: { type: 'message', message: MESSAGE },
    audience: { channelId: 3 },
  });

const batch = (...ids: readonly number[]) => batchOf(ids.map(message), { channelId: 3 });

const idsOf = (taken: readonly EncodedBatch[]) =>
  taken.map((batch) => (JSON.parse(`[${batch.json()}]`) as { id: number }[]).map(({ id }) => id));

test('queues of a channel are written to once each, and share what is encoded', () => {
  const tail = opened();
  const [one, other] = [live('a'), live('b')];
  const [first, second] = [batch(1), batch(2, 3)];
  for (const { queue } of [one, other]) {
    addBatch(tail, queue, first);
    addBatch(tail, queue, second);
  }
  flush(tail);
  expect(idsOf(one.taken)).toEqual([[1, 2, 3]]);
  expect(one.taken[0]).toBe(other.taken[0]);
  expect(tail).toMatchObject({ unflushed: [], isFlushing: false });
});

test('a queue with a filter takes of a batch only what matches', () => {
  const tail = opened();
  const { queue, taken } = live('a', { narrow: [['topic', 'another']] });
  addBatch(tail, queue, batch(1, 2));
  addEvent(tail, queue, message(3));
  flush(tail);
  expect(taken).toEqual([]);
});

test('a queue that is not live is given nothing: it reads the log', () => {
  const tail = opened();
  const { queue, taken } = live('a');
  const behind = { ...queue, isLive: false };
  addBatch(tail, behind, batch(1));
  addEvent(tail, behind, message(2));
  flush(tail);
  expect([behind.pending, taken]).toEqual([null, []]);
});

test('an exception of one consumer costs no other its events', async () => {
  const tail = opened();
  const bug = new Error('a bug');
  const broken = live('a', {}, () => {
    throw bug;
  });
  const other = live('b');
  for (const { queue } of [broken, other]) addBatch(tail, queue, batch(1));
  expect(() => flush(tail)).toThrow(bug);
  await expect.poll(() => idsOf(other.taken)).toEqual([[1]]);
});
