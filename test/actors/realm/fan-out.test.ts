import { expect, test } from 'vitest';
import { describeChannel } from '../../../actors/channel/channel.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { type FanOut, openFanOut } from '../../../actors/realm/fan-out.ts';
import type { Audience } from '../../../src/domain/wire/events/log-entry.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import { startRealmActor, startTestQueue } from '../../support/actors/attached-queue.ts';
import { entryOf, messageIn, testConsumer } from '../../support/actors/listening.ts';
import {
  addChannel,
  addUser,
  openTestStore,
  subscribe,
  type TestStore,
} from '../../support/actors/realm-store.ts';
import { turn, turnsUntil } from '../../support/actors/turns.ts';
import { testClock } from '../../support/test-clock.ts';

const [ADA, MAX] = [7, 8];
const CHANNEL = 3;

/** A realm with some events in its log, of which Ada and Max are in one channel. */
async function opened({ logged = 0 } = {}) {
  const store = openTestStore();
  await store.write((tx) => {
    for (const id of [ADA, MAX]) {
      addUser(tx, id);
      subscribe(tx, id, CHANNEL);
    }
    addChannel(tx, CHANNEL);
  });
  await log(store, logged);
  const clock = testClock();
  const actor = startRealmActor();
  const due: AttachedQueue[] = [];
  const fanOut = openFanOut({
    record: openRealmRecord(),
    reader: store.reader,
    clock,
    owner: actor,
    head: store.reader.head(),
    isHeartbeatDue: (queue) => due.includes(queue),
  });
  const queueOf = (id: string, userId: number) => {
    const queue = startTestQueue(id, { actor, userId });
    fanOut.join(queue);
    return queue;
  };
  return { fanOut, store, clock, due, queueOf };
}

/** Commits as many events, and returns them for the broadcast that follows a commit. */
async function log(store: TestStore, count: number, audience: Audience = { channelId: CHANNEL }) {
  const { event } = entryOf(0);
  const ids = await store.write((tx) =>
    Array.from({ length: count }, () => tx.emit({ event, audience })),
  );
  return ids.map((id) => entryOf(id, { audience }));
}

const namesOf = (fanOut: FanOut) => Array.from(fanOut.attached(), ({ id }) => id);

test('a queue first catches up from where its consumer is, and is live from then on', async () => {
  const { fanOut, store, queueOf } = await opened({ logged: 3 });
  expect(fanOut.head()).toBe(3);
  const queue = queueOf('a', ADA);
  const consumer = testConsumer();
  fanOut.connect(queue, { consumer, position: 1 });
  expect(consumer.ids()).toEqual([2, 3]);
  expect(queue.isLive).toBe(true);
  fanOut.broadcast(await log(store, 2));
  expect(consumer.ids()).toEqual([2, 3, 4, 5]);
  expect(fanOut.head()).toBe(5);
});

test('what is committed and not yet broadcast is delivered once, by the broadcast', async () => {
  const { fanOut, store, queueOf } = await opened({ logged: 1 });
  const entries = await log(store, 1);
  const consumer = testConsumer();
  fanOut.connect(queueOf('a', ADA), { consumer, position: 0 });
  expect(consumer.ids()).toEqual([1]);
  fanOut.broadcast(entries);
  expect(consumer.ids()).toEqual([1, 2]);
});

test('a queue far behind catches up in steps, between which others run, and misses no broadcast', async () => {
  const { fanOut, store, queueOf } = await opened({ logged: 1_200 });
  const [behind, live] = [testConsumer(), testConsumer()];
  const queue = queueOf('a', ADA);
  fanOut.connect(queue, { consumer: behind, position: 0 });
  fanOut.connect(queueOf('b', MAX), { consumer: live, position: 1_200 });
  expect(behind.ids()).toHaveLength(500);
  fanOut.broadcast(await log(store, 1));
  expect(live.ids()).toEqual([1_201]);
  await turnsUntil(() => queue.isLive);
  expect(behind.ids()).toEqual(Array.from({ length: 1_201 }, (_, index) => index + 1));
  expect(behind.batches.length).toBeGreaterThan(2);
});

test('a queue without a consumer is given nothing, and the next consumer goes on where it was', async () => {
  const { fanOut, store, clock, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  const [first, second] = [testConsumer(), testConsumer()];
  fanOut.connect(queue, { consumer: first, position: 0 });
  fanOut.broadcast(await log(store, 1));
  fanOut.disconnect(queue);
  expect(queue).toMatchObject({ consumer: null, isLive: false });
  fanOut.broadcast(await log(store, 2));
  clock.advance(1_000);
  expect(first.ids()).toEqual([1]);
  fanOut.connect(queue, { consumer: second, position: 'where it was' });
  expect(second.ids()).toEqual([2, 3]);
});

test('a consumer whose buffer is full gets no more until it resumes, and then all that it missed', async () => {
  const { fanOut, store, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  const consumer = testConsumer({ answer: ({ lastId }) => (lastId === 1 ? 'full' : 'taken') });
  fanOut.connect(queue, { consumer, position: 0 });
  fanOut.broadcast(await log(store, 1));
  fanOut.broadcast(await log(store, 2));
  await turn();
  expect(consumer.ids()).toEqual([1]);
  fanOut.resume(queue);
  expect(consumer.ids()).toEqual([1, 2, 3]);
  fanOut.resume(queue);
  fanOut.broadcast(await log(store, 1));
  expect(consumer.ids()).toEqual([1, 2, 3, 4]);
});

test('a poll is answered once, and a batch that it drops is given to the next', async () => {
  const { fanOut, store, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  const [gone, poll] = [
    testConsumer({ takesOne: true, answer: () => 'dropped' }),
    testConsumer({ takesOne: true }),
  ];
  fanOut.connect(queue, { consumer: gone, position: 0 });
  fanOut.broadcast(await log(store, 1));
  fanOut.connect(queue, { consumer: poll, position: 'where it was' });
  expect(poll.ids()).toEqual([1]);
  fanOut.broadcast(await log(store, 1));
  expect([gone.ids(), poll.ids()]).toEqual([[], [1]]);
  expect(queue.consumer).toBeNull();
});

test('the time of consumers that come and go is that of the last tick', async () => {
  const { fanOut, clock, queueOf } = await opened();
  const start = clock.now();
  const queue = queueOf('a', ADA);
  clock.advance(4_000);
  fanOut.connect(queue, { consumer: testConsumer(), position: 0 });
  expect(queue.waitingSince).toBe(start);
  fanOut.tick(clock.now());
  fanOut.disconnect(queue);
  expect(queue.waitingSince).toBe(start + 4_000);
});

test('heartbeats are for queues that are due one by the given rule, at the time of the clock', async () => {
  const { fanOut, store, clock, due, queueOf } = await opened();
  const queues = [queueOf('a', ADA), queueOf('b', MAX)];
  const consumers = queues.map((queue) => {
    const consumer = testConsumer();
    fanOut.connect(queue, { consumer, position: 0 });
    return consumer;
  });
  due.push(...queues.slice(1));
  clock.advance(4_000);
  fanOut.broadcast(await log(store, 1, { heartbeat: true }));
  expect(consumers.map((consumer) => consumer.ids())).toEqual([[], [1]]);
  expect(queues[1]?.waitingSince).toBe(clock.now());
});

test('a queue that leaves hears nothing more, and its channel ends with the last', async () => {
  const { fanOut, store, queueOf } = await opened();
  const [first, second] = [queueOf('a', ADA), queueOf('b', MAX)];
  const consumer = testConsumer();
  fanOut.connect(first, { consumer, position: 0 });
  expect(namesOf(fanOut)).toEqual(['a', 'b']);
  expect(Array.from(fanOut.channels(), describeChannel)).toEqual([
    { channelId: CHANNEL, state: 'active', listeners: 2 },
  ]);
  fanOut.leave(first);
  fanOut.broadcast(await log(store, 1));
  expect(consumer.ids()).toEqual([]);
  expect(namesOf(fanOut)).toEqual(['b']);
  fanOut.leave(second);
  expect([...fanOut.channels()]).toEqual([]);
});

test('changes of memberships are forgotten up to an event that the log has no more', async () => {
  const { fanOut, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  const change = (id: number, isSubscribed: boolean) =>
    entryOf(id, { memberships: { userIds: [ADA], channelIds: [9], isSubscribed } });
  fanOut.broadcast([change(1, true), messageIn(9, 2), change(3, false), change(4, true)]);
  expect(queue.listener?.changes.map(({ eventId }) => eventId)).toEqual([1, 3, 4]);
  fanOut.forget(3);
  expect(queue.listener?.changes.map(({ eventId }) => eventId)).toEqual([4]);
});
