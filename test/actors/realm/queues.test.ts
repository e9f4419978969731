import { expect, test } from 'vitest';
import { isAttached, queueSystemId } from '../../../actors/event-queue/queue.ts';
import { openFanOut } from '../../../actors/realm/fan-out.ts';
import { openQueues } from '../../../actors/realm/queues.ts';
import { CATCH_UP_ROWS_PER_STEP } from '../../../src/domain/limits/event-queues.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { QueueRow } from '../../../storage/tables/realm/events.ts';
import { startRealmActor } from '../../support/actors/attached-queue.ts';
import {
  entryOf,
  queueOptions,
  type TestConsumer,
  testConsumer,
} from '../../support/actors/listening.ts';
import { addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { turn, turnsUntil } from '../../support/actors/turns.ts';
import { testClock } from '../../support/test-clock.ts';

const ADA = 7;

const rowOf = (changes: Partial<QueueRow> = {}): QueueRow => ({
  userId: ADA,
  options: queueOptions(),
  startedAt: 0,
  acknowledged: 0,
  ...changes,
});

/** The queues of a realm with some events in its log, one of them opened. */
async function opened({ logged = 0, row = {} }: { logged?: number; row?: Partial<QueueRow> } = {}) {
  const store = openTestStore();
  const { event, audience } = entryOf(0);
  await store.write((tx) => {
    addUser(tx, ADA);
    for (let count = 0; count < logged; count++) tx.emit({ event, audience });
  });
  const clock = testClock();
  const owner = startRealmActor();
  const log = { start: 0 };
  const expired: string[] = [];
  const { reader } = store;
  const isHeartbeatDue = () => false;
  const fanOut = openFanOut({
    reader,
    record: openRealmRecord(),
    clock,
    owner,
    head: reader.head(),
    isHeartbeatDue,
  });
  const queues = openQueues({
    record: openRealmRecord(),
    fanOut,
    clock,
    owner,
    logStart: () => log.start,
    onExpired: ({ id }) => expired.push(id),
  });
  queues.open('q', rowOf(row));
  const queue = () => queues.all().get('q') ?? expect.fail('there is no queue');
  const running = () => owner.system.get(queueSystemId('q')) !== undefined;
  return { queues, fanOut, store, clock, log, expired, queue, running };
}

test('a queue that is opened is detached, and only its owner finds it', async () => {
  const { queues, clock, running } = await opened({ logged: 5, row: { acknowledged: 3 } });
  expect(running()).toBe(false);
  expect(queues.find('q', ADA)).toMatchObject({
    id: 'q',
    userId: ADA,
    acknowledged: 3,
    position: 3,
    waitingSince: clock.now(),
  });
  expect(queues.find('q', ADA + 1)).toBeUndefined();
  expect(queues.find('another', ADA)).toBeUndefined();
  expect([...queues.all().keys()]).toEqual(['q']);
});

test('attaching starts the actor of a queue, acknowledges, and delivers what the client has not', async () => {
  const { queues, queue, running } = await opened({ logged: 4 });
  const consumer = testConsumer();
  expect(queues.attach(queue(), 1, consumer)).toBe('attached');
  expect(running()).toBe(true);
  expect(isAttached(queue())).toBe(true);
  expect(queue().acknowledged).toBe(1);
  expect(consumer.ids()).toEqual([2, 3, 4]);
  expect(queues.isWaiting('q', consumer)).toBe(true);
  expect(queues.isWaiting('q', testConsumer())).toBe(false);
  expect(queues.isWaiting('another', consumer)).toBe(false);
});

test('a fresh queue begins where it was registered', async () => {
  const { queues, queue } = await opened({ logged: 4, row: { startedAt: 2, acknowledged: 2 } });
  const consumer = testConsumer();
  expect(queues.attach(queue(), -1, consumer)).toBe('attached');
  expect(consumer.ids()).toEqual([3, 4]);
});

test.each([
  { from: 5, expected: 'not in queue' },
  { from: 1, expected: 'pruned' },
  { from: 3, logStart: 4, expected: 'unknown' },
])(
  'a client that has everything up to $from is told $expected, and nothing is attached',
  async (given) => {
    const { queues, log, queue, running } = await opened({ logged: 4, row: { acknowledged: 2 } });
    log.start = given.logStart ?? 0;
    const consumer = testConsumer();
    const before = { ...queue() };
    expect(queues.attach(queue(), given.from, consumer)).toBe(given.expected);
    expect(running()).toBe(false);
    expect(queue()).toEqual(before);
    expect([consumer.batches, consumer.told]).toEqual([[], []]);
  },
);

test('a newer consumer takes the place of the former, which is told so and gets nothing more', async () => {
  const { queues, fanOut, queue } = await opened({ logged: 2 });
  const newer = testConsumer();
  const wasWaiting: boolean[] = [];
  const former: TestConsumer = {
    ...testConsumer(),
    replaced: () => wasWaiting.push(queues.isWaiting('q', former)),
  };
  queues.attach(queue(), 0, former);
  expect(queues.attach(queue(), 2, newer)).toBe('attached');
  fanOut.broadcast([entryOf(3)]);
  expect(former.ids()).toEqual([1, 2]);
  expect(wasWaiting).toEqual([false]);
  expect([newer.ids(), newer.told]).toEqual([[3], []]);
  // The former is late: it changes nothing any more.
  queues.consumerGone('q', former);
  expect(queues.isWaiting('q', newer)).toBe(true);
  expect([...fanOut.attached()]).toEqual([queue()]);
});

test('a client that has the newest that was delivered goes on where the queue is, without reading again', async () => {
  const { queues, queue, fanOut } = await opened({ logged: 2 });
  const [first, second] = [testConsumer({ takesOne: true }), testConsumer({ takesOne: true })];
  queues.attach(queue(), 0, first);
  expect(first.ids()).toEqual([1, 2]);
  queues.attach(queue(), 2, second);
  // These are for others. Reading them again would take more than one step.
  const passed = Array.from({ length: 2 * CATCH_UP_ROWS_PER_STEP }, (_, index) =>
    entryOf(index + 3, { audience: { users: [99] } }),
  );
  fanOut.broadcast(passed);
  queues.consumerGone('q', second);
  const third = testConsumer({ takesOne: true });
  queues.attach(queue(), 2, third);
  expect(queue()).toMatchObject({ isLive: true, acknowledged: 2 });
  fanOut.broadcast([entryOf(passed.length + 3)]);
  expect(third.ids()).toEqual([passed.length + 3]);
});

test('a consumer that has gone leaves its queue attached, until it is detached', async () => {
  const { queues, fanOut, clock, queue, running } = await opened({ logged: 2 });
  const consumer = testConsumer();
  queues.attach(queue(), 1, consumer);
  queues.consumerGone('q', consumer);
  expect(queues.isWaiting('q', consumer)).toBe(false);
  expect(running()).toBe(true);
  clock.advance(3_000);
  const attached = queue();
  if (!isAttached(attached)) expect.fail('it is attached');
  queues.detach(attached);
  expect(running()).toBe(false);
  expect([...fanOut.attached()]).toEqual([]);
  expect(queue()).toMatchObject({
    owner: null,
    acknowledged: 1,
    position: 2,
    waitingSince: clock.now(),
  });
  const next = testConsumer();
  expect(queues.attach(queue(), 2, next)).toBe('attached');
  fanOut.broadcast([entryOf(3)]);
  expect(next.ids()).toEqual([3]);
});

test('a consumer that resumes gets what it missed, unless another has its place', async () => {
  const { queues, fanOut, queue } = await opened();
  const [full, other] = [testConsumer({ answer: () => 'full' }), testConsumer()];
  queues.attach(queue(), -1, full);
  fanOut.broadcast([entryOf(1)]);
  fanOut.broadcast([entryOf(2)]);
  queues.resume('q', other);
  expect(full.ids()).toEqual([1]);
  queues.resume('q', full);
  expect(full.ids()).toEqual([1, 2]);
  queues.resume('another', full);
  expect(full.ids()).toEqual([1, 2]);
});

test('a consumer is told when the whole log was looked at, and is not the consumer any more', async () => {
  const { queues, queue } = await opened({ logged: 1_200 });
  const consumer = testConsumer();
  queues.attach(queue(), 0, consumer);
  let heard = -1;
  queues.whenCaughtUp('q', consumer, () => {
    heard = consumer.ids().length;
  });
  expect(heard).toBe(-1);
  await turnsUntil(() => heard >= 0);
  expect(heard).toBe(1_200);
  expect(queues.isWaiting('q', consumer)).toBe(false);
});

test('a consumer that is gone before the log was looked at is told nothing', async () => {
  const { queues, queue } = await opened({ logged: 1_200 });
  const consumer = testConsumer();
  queues.attach(queue(), 0, consumer);
  let isCalled = false;
  queues.whenCaughtUp('q', consumer, () => {
    isCalled = true;
  });
  queues.consumerGone('q', consumer);
  for (let count = 0; count < 10; count++) await turn();
  expect(isCalled).toBe(false);
});

test('a queue that ends tells its consumer why, stops, and is found no more', async () => {
  const { queues, fanOut, queue, running, expired } = await opened();
  const consumer = testConsumer();
  queues.attach(queue(), -1, consumer);
  const ended = queue();
  queues.end('q', 'account gone');
  expect(ended).toMatchObject({ consumer: null, listener: null, isLive: false });
  fanOut.broadcast([entryOf(1)]);
  expect(consumer.told).toEqual(['account gone']);
  expect(consumer.batches).toEqual([]);
  expect([running(), queues.find('q', ADA)]).toEqual([false, undefined]);
  expect([...fanOut.attached()]).toEqual([]);
  // The caller removes the row.
  expect(expired).toEqual([]);
});

test('a queue ends as gone unless another reason is given, and without a consumer nobody is told', async () => {
  const { queues, queue, running } = await opened();
  const consumer = testConsumer();
  queues.attach(queue(), -1, consumer);
  queues.end('q');
  expect(consumer.told).toEqual(['queue gone']);

  queues.open('q', rowOf());
  queues.attach(queue(), -1, testConsumer());
  const silent = testConsumer();
  queues.attach(queue(), -1, silent);
  queues.consumerGone('q', silent);
  queues.end('q');
  expect([silent.told, running()]).toEqual([[], false]);
});

test('a detached queue ends or expires without an actor; expiring has its row removed', async () => {
  const { queues, queue, expired } = await opened();
  queues.end('q');
  queues.end('q');
  expect(queues.all().size).toBe(0);
  queues.open('q', rowOf());
  const detached = queue();
  if (isAttached(detached)) expect.fail('nobody attached it');
  queues.expire(detached);
  expect(queues.all().size).toBe(0);
  expect(expired).toEqual(['q']);
});
