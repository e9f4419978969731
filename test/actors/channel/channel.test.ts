import { expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import {
  channelSystemId,
  closeBatch,
  collect,
  describeChannel,
  join,
  leave,
  setArchived,
  startChannel,
} from '../../../actors/channel/channel.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import { QUEUE_OPTIONS } from '../../../bench/stores/growth-store.ts';
import { announced } from '../../../src/events/for-client.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

function opened({ isArchived = false } = {}) {
  const tail = openLogTail({
    reader: {} as RealmReader,
    record: openRealmRecord(),
    head: 0,
    now: 0,
  });
  const realm = createActor(createMachine({ id: 'realm' })).start();
  const channel = startChannel({ channelId: 3, isArchived, tail }, realm);
  const running = () => realm.system.get(channelSystemId(3));
  return { channel, tail, running };
}

/** A live queue of which nothing is looked at but what it has pending. */
const live = (id: string): AttachedQueue => {
  const kind = openQueueKinds().of({ ...QUEUE_OPTIONS, eventTypes: null });
  const { format, takesAllMessages } = kind;
  return { id, kind, format, takesAllMessages, isLive: true, pending: null } as AttachedQueue;
};

const message = (id: number) =>
  announced({
    id,
    at: 0,
    event: { type: 'message', message: MESSAGE },
    audience: { channelId: 3 },
  });

const pendingOf = ({ pending }: AttachedQueue) => pending?.events.map(({ entry }) => entry.id);

test('its queues share one batch, which those have who listen when it is closed', () => {
  const { channel, tail } = opened();
  const [first, second, late] = [live('a'), live('b'), live('c')];
  join(channel, first);
  join(channel, second);
  collect(channel, message(1));
  collect(channel, message(2));
  expect(first.pending).toBeNull();
  closeBatch(channel);
  join(channel, late);
  closeBatch(channel);
  expect(first.pending).toBe(second.pending);
  expect([first, second, late].map(pendingOf)).toEqual([[1, 2], [1, 2], undefined]);
  expect(tail.unflushed).toEqual([first, second]);
});

test('archiving closes the batch, and the audience still hears of what happens in the channel', () => {
  const { channel } = opened();
  const queue = live('a');
  join(channel, queue);
  collect(channel, message(1));
  setArchived(channel, true);
  expect(describeChannel(channel)).toEqual({ channelId: 3, state: 'archived', listeners: 1 });
  expect(pendingOf(queue)).toEqual([1]);
  setArchived(channel, true);
  collect(channel, message(2));
  closeBatch(channel);
  expect(pendingOf(queue)).toEqual([1, 2]);
  setArchived(channel, false);
  expect(describeChannel(channel)).toMatchObject({ state: 'active', listeners: 1 });
});

test('it starts in the state that it is stored in, and ends with its last queue', () => {
  const { channel, running } = opened({ isArchived: true });
  expect(describeChannel(channel).state).toBe('archived');
  const [first, second] = [live('a'), live('b')];
  join(channel, first);
  join(channel, second);
  expect(running()).toBe(channel);
  expect(leave(channel, first)).toEqual({ isEnded: false });
  expect(leave(channel, second)).toEqual({ isEnded: true });
  expect(describeChannel(channel)).toEqual({ channelId: 3, state: 'ended', listeners: 0 });
  expect(running()).toBeUndefined();
});
