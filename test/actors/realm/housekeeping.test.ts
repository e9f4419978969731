import { expect, test } from 'vitest';
import { type AttachedQueue, isAttached } from '../../../actors/event-queue/queue.ts';
import { isHeartbeatDue, SWEEP_INTERVAL_MS } from '../../../actors/realm/housekeeping.ts';
import type { KeyUses } from '../../../actors/realm/key-uses.ts';
import { KEY_USES_PER_STEP, KEY_USES_WRITTEN_MS } from '../../../src/domain/limits/credentials.ts';
import {
  HEARTBEAT_MS,
  LOG_KEPT_MS_MIN,
  LOG_ROWS_PER_TRIM,
} from '../../../src/domain/limits/event-queues.ts';
import { IDEMPOTENCE_KEPT_MS } from '../../../src/domain/limits/requests.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { queueOptions, testConsumer } from '../../support/actors/listening.ts';
import { addUser, openTestStore, type TestStore } from '../../support/actors/realm-store.ts';
import { ADA, EVENT, openSweptRealm, rowOf } from '../../support/actors/swept-realm.ts';

/** Every sixth sweep notes what was acknowledged and trims. */
const SWEEPS_PER_TRIM = 6;
/** The pause between two steps of one task. */
const PAUSE_MS = 100;
const TRIM_PAUSE_MS = 10;
const POLL_PAUSE_MS = 15_000;

const loggedIn = ({ reader }: TestStore) => Array.from(reader.events.keys({}), ([id]) => id);

test('a consumer that has heard nothing for a while gets a heartbeat, one for all that are due', async () => {
  const { store, bugs, addQueue, attach, queues, pass, sweep } = openSweptRealm();
  for (const id of ['a', 'b', 'c']) await addQueue(id);
  const [first, second] = [attach('a'), attach('b')];
  const gone = attach('c');
  queues.consumerGone('c', gone);
  const sweeps = HEARTBEAT_MS / SWEEP_INTERVAL_MS;
  await sweep(sweeps - 1);
  expect([first.ids(), store.reader.head()]).toEqual([[], 0]);
  await sweep();
  expect(first.events()).toEqual([[{ id: 1, type: 'heartbeat' }]]);
  expect(second.events()).toEqual(first.events());
  await sweep(sweeps - 1);
  expect(first.ids()).toEqual([1]);
  await sweep();
  expect(first.ids()).toEqual([1, 2]);
  await pass(0);
  expect([gone.batches, bugs]).toEqual([[], []]);
});

test('a heartbeat is due for a consumer that has waited as long as it may, and for none other', () => {
  const queue = { consumer: testConsumer(), waitingSince: 500 } as unknown as AttachedQueue;
  expect(isHeartbeatDue(queue, 500 + HEARTBEAT_MS)).toBe(true);
  expect(isHeartbeatDue(queue, 499 + HEARTBEAT_MS)).toBe(false);
  expect(isHeartbeatDue({ ...queue, consumer: null }, 500 + HEARTBEAT_MS)).toBe(false);
});

test('consumers come and go at the time of the last sweep', async () => {
  const { clock, queues, addQueue, attach, pass, sweep } = openSweptRealm();
  await addQueue('a');
  await sweep();
  const sweptAt = clock.now();
  await pass(SWEEP_INTERVAL_MS - 1);
  attach('a');
  expect(queues.all().get('a')?.waitingSince).toBe(sweptAt);
});

test('a queue without a consumer is detached after a pause, one with a consumer never', async () => {
  const { addQueue, attach, isAttached, queues, sweep } = openSweptRealm();
  for (const id of ['a', 'b']) await addQueue(id);
  attach('a');
  queues.consumerGone('b', attach('b'));
  const sweeps = POLL_PAUSE_MS / SWEEP_INTERVAL_MS;
  await sweep(sweeps - 1);
  expect([isAttached('a'), isAttached('b')]).toEqual([true, true]);
  await sweep();
  expect([isAttached('a'), isAttached('b')]).toEqual([true, false]);
  await sweep(20);
  expect(isAttached('a')).toBe(true);
});

test('if all clients vanish at once, a sweep detaches a bounded number of queues', async () => {
  const { queues, fanOut, sweep } = openSweptRealm();
  for (let index = 0; index < 501; index++) {
    queues.open(`q${index}`, rowOf());
    const queue = queues.find(`q${index}`, ADA) ?? expect.fail('it was opened');
    const consumer = testConsumer();
    queues.attach(queue, -1, consumer);
    queues.consumerGone(queue.id, consumer);
  }
  await sweep(POLL_PAUSE_MS / SWEEP_INTERVAL_MS);
  expect([...fanOut.attached()]).toHaveLength(1);
  await sweep();
  expect([...fanOut.attached()]).toHaveLength(0);
  expect(queues.all().size).toBe(501);
});

test('a detached queue expires with its row after its idle life, which each queue has of its own', async () => {
  const { store, addQueue, attach, queues, sweep } = openSweptRealm();
  await addQueue('short', { options: queueOptions({ idleSeconds: 60 }) });
  await addQueue('long');
  await addQueue('attached', { options: queueOptions({ idleSeconds: 60 }) });
  attach('attached');
  const ids = () => [...queues.all().keys()];
  const rows = () => Array.from(store.reader.queues.keys({}), ([id]) => id);
  await sweep(60_000 / SWEEP_INTERVAL_MS - 1);
  expect(ids()).toEqual(['short', 'long', 'attached']);
  await sweep();
  expect(ids()).toEqual(['long', 'attached']);
  expect(rows()).toEqual(['attached', 'long']);
  await sweep(600_000 / SWEEP_INTERVAL_MS);
  expect([ids(), rows()]).toEqual([['attached'], ['attached']]);
});

test('what clients acknowledged is written now and then, and only where it has grown', async () => {
  const { store, operations, queues, addQueue, attach, log, sweep } = openSweptRealm();
  for (const id of ['a', 'b']) await addQueue(id);
  await log(3);
  // They go at once: a heartbeat would be an operation as well.
  queues.consumerGone('a', attach('a', 2));
  queues.consumerGone('b', attach('b'));
  await sweep(SWEEPS_PER_TRIM - 1);
  const acknowledged = (id: string) => store.reader.queues.get([id])?.acknowledged;
  expect([acknowledged('a'), acknowledged('b')]).toEqual([0, 0]);
  expect(operations()).toBe(0);
  await sweep();
  expect([acknowledged('a'), acknowledged('b')]).toEqual([2, 0]);
  // One wrote it, and one trimmed.
  expect(operations()).toBe(2);
  await sweep(SWEEPS_PER_TRIM);
  expect(operations()).toBe(3);
});

test('what is acknowledged is written in steps with pauses, and a row that is gone is not made again', async () => {
  const { store, addQueue, queues, log, pass, perform, sweep } = openSweptRealm();
  await log(1);
  for (let index = 0; index < 501; index++) await addQueue(`q${index}`, { acknowledged: 0 });
  for (const queue of queues.all().values()) queues.cursors.acknowledge(queue, 1);
  await perform((tx) => tx.queues.remove(['q0']));
  await sweep(SWEEPS_PER_TRIM);
  const written = () =>
    Array.from(store.reader.queues.range({}), ([, { acknowledged }]) => acknowledged).filter(
      (acknowledged) => acknowledged === 1,
    ).length;
  expect(written()).toBe(499);
  await pass(PAUSE_MS - 1);
  expect(written()).toBe(499);
  await pass(1);
  expect(written()).toBe(500);
  expect(store.reader.queues.get(['q0'])).toBeUndefined();
});

test('the log keeps some minutes, and what the row of the slowest queue needs', async () => {
  const { store, bugs, housekeeping, addQueue, attach, log, pass, sweep } = openSweptRealm();
  await addQueue('slow', { options: queueOptions({ idleSeconds: 100_000 }) });
  await addQueue('a');
  await log(4);
  expect(housekeeping.logStart()).toBe(0);
  attach('a', 3);
  await pass(LOG_KEPT_MS_MIN);
  await sweep(SWEEPS_PER_TRIM);
  // The slow one has acknowledged nothing.
  expect([loggedIn(store).slice(0, 4), housekeeping.logStart()]).toEqual([[1, 2, 3, 4], 0]);
  attach('slow', 2);
  await sweep(SWEEPS_PER_TRIM);
  expect([loggedIn(store)[0], housekeeping.logStart()]).toEqual([3, 2]);
  expect(bugs).toEqual([]);
});

test('what a client acknowledges while the rows are written does not count before the next time', async () => {
  const { clock, commits, housekeeping, queues, addQueue, attach, log, pass, sweep } =
    openSweptRealm();
  await addQueue('a', { options: queueOptions({ idleSeconds: 100_000 }) });
  await log(4);
  attach('a', 2);
  await pass(LOG_KEPT_MS_MIN);
  await sweep(SWEEPS_PER_TRIM - 1);
  clock.leap(SWEEP_INTERVAL_MS);
  housekeeping.sweep();
  const queue = queues.find('a', ADA) ?? expect.fail('it was added');
  queues.cursors.acknowledge(queue, 3);
  await commits.idle();
  expect(housekeeping.logStart()).toBe(2);
});

test('without a queue old events go, and young ones stay', async () => {
  const { store, housekeeping, log, pass, sweep } = openSweptRealm();
  await log(2);
  await pass(LOG_KEPT_MS_MIN / 2);
  await log(2);
  await pass(LOG_KEPT_MS_MIN / 2);
  await sweep(SWEEPS_PER_TRIM - 1);
  expect(loggedIn(store)).toEqual([1, 2, 3, 4]);
  await sweep();
  expect(loggedIn(store)).toEqual([3, 4]);
  expect(housekeeping.logStart()).toBe(2);
});

test('changes of memberships go with their events, from the store and from the listeners', async () => {
  const { store, queues, addQueue, attach, log, perform, pass, sweep } = openSweptRealm();
  await addQueue('a');
  attach('a');
  await perform((tx) => {
    const memberships = { userIds: [ADA], channelIds: [3], isSubscribed: true };
    const id = tx.emit({ ...EVENT, memberships });
    tx.membershipChanges.put([ADA, id, 3], { channelId: 3, isSubscribed: true });
  });
  const changes = () => {
    const queue = queues.all().get('a');
    return queue && isAttached(queue) ? queue.listener?.changes.length : undefined;
  };
  attach('a', 1);
  await log(1);
  expect([changes(), [...store.reader.membershipChanges.keys({})].length]).toEqual([1, 1]);
  await pass(LOG_KEPT_MS_MIN);
  await sweep(SWEEPS_PER_TRIM);
  expect(loggedIn(store)[0]).toBeGreaterThan(1);
  expect([changes(), [...store.reader.membershipChanges.keys({})].length]).toEqual([0, 0]);
});

test('a long log is trimmed in steps of a commit each, with pauses between them', async () => {
  const { store, housekeeping, log, pass, sweep } = openSweptRealm();
  await log(LOG_ROWS_PER_TRIM + 5);
  await pass(LOG_KEPT_MS_MIN);
  await sweep(SWEEPS_PER_TRIM);
  expect(loggedIn(store)).toHaveLength(5);
  await pass(TRIM_PAUSE_MS - 1);
  expect(loggedIn(store)).toHaveLength(5);
  await pass(1);
  expect(loggedIn(store)).toEqual([]);
  expect(housekeeping.logStart()).toBe(LOG_ROWS_PER_TRIM + 5);
});

test('a step removes as much as was logged since the one before it, beside its share', async () => {
  const { store, housekeeping, log, pass, sweep } = openSweptRealm();
  await log(3 * LOG_ROWS_PER_TRIM + 5);
  await pass(LOG_KEPT_MS_MIN);
  await sweep(SWEEPS_PER_TRIM);
  expect(housekeeping.logStart()).toBe(LOG_ROWS_PER_TRIM);
  await log(7);
  await pass(TRIM_PAUSE_MS);
  expect(housekeeping.logStart()).toBe(2 * LOG_ROWS_PER_TRIM + 7);
  await pass(TRIM_PAUSE_MS);
  expect(housekeeping.logStart()).toBe(3 * LOG_ROWS_PER_TRIM + 5);
  expect(loggedIn(store)).toHaveLength(7);
});

test('of a log that is too large a tenth goes, however young, and queues that needed it end', async () => {
  const { store, housekeeping, bugs, addQueue, attach, isAttached, log, queues, sweep } =
    openSweptRealm({
      logBytesMax: 0,
    });
  await addQueue('behind');
  await addQueue('full');
  const full = testConsumer({ answer: () => 'full' });
  queues.attach(queues.find('full', ADA) ?? expect.fail('it was added'), -1, full);
  await addQueue('live');
  const live = attach('live');
  await log(1);
  await log(100);
  expect(full.ids()).toEqual([1]);
  await sweep(SWEEPS_PER_TRIM);
  expect(housekeeping.logStart()).toBe(11);
  expect(loggedIn(store)[0]).toBe(12);
  expect([...queues.all().keys()]).toEqual(['live']);
  expect(Array.from(store.reader.queues.keys({}), ([id]) => id)).toEqual(['live']);
  expect([full.told, live.told]).toEqual([['queue gone'], []]);
  expect([isAttached('live'), bugs]).toEqual([true, []]);
});

test('results of sends are forgotten after a day, and the log begins where it did', async () => {
  const { store, housekeeping, log, perform, pass, sweep } = openSweptRealm();
  const keep = (tx: RealmTransaction, key: string) => {
    tx.idempotencyResultTimes.put([tx.now, ADA, key], {});
    tx.idempotencyResults.put([ADA, key], { messageId: 1, at: tx.now, newPolicy: null });
  };
  await perform((tx) => keep(tx, 'old'));
  await pass(IDEMPOTENCE_KEPT_MS - SWEEPS_PER_TRIM * SWEEP_INTERVAL_MS);
  await perform((tx) => keep(tx, 'young'));
  await log(1);
  await pass(1);
  await sweep(SWEEPS_PER_TRIM);
  const results = () => Array.from(store.reader.idempotencyResults.keys({}), ([, key]) => key);
  expect(results()).toEqual(['young']);
  expect([...store.reader.idempotencyResultTimes.keys({})]).toHaveLength(1);
  expect([housekeeping.logStart(), loggedIn(store)]).toEqual([0, [1]]);
});

const addKey = (tx: RealmTransaction, keyHash: string) =>
  tx.apiKeys.put([ADA, keyHash], { createdAt: 0, origin: 'issued', madeBy: null });

const noteUse = (uses: KeyUses, keyHash: string, now: number) =>
  uses.note({ userId: ADA, keyHash }, { client: 'website', address: '127.0.0.1' }, now);

test('once an hour the uses of keys are written in steps, and then those of clients that listen', async () => {
  const { store, clock, keyUses, addQueue, attach, perform, pass, sweep } = openSweptRealm();
  const count = KEY_USES_PER_STEP + 1;
  await perform((tx) => {
    addUser(tx, ADA);
    addKey(tx, 'listening');
    for (let index = 0; index < count; index++) addKey(tx, `key ${index}`);
  });
  await addQueue('a', { keyHash: 'listening' });
  attach('a');
  for (let index = 0; index < count; index++) noteUse(keyUses, `key ${index}`, clock.now());
  const written = () => [...store.reader.keyUses.keys({})].length;
  await pass(KEY_USES_WRITTEN_MS - 2 * SWEEP_INTERVAL_MS);
  await sweep();
  const last = `key ${count - 1}`;
  expect([written(), keyUses.isNoted(last)]).toEqual([0, true]);
  await sweep();
  // Another hour has begun, in which the key is noted again.
  expect(keyUses.unwrittenOf(last)).toBeDefined();
  expect(keyUses.isNoted(last)).toBe(false);
  expect(written()).toBe(KEY_USES_PER_STEP);
  await pass(PAUSE_MS);
  expect(written()).toBe(count);
  await pass(PAUSE_MS);
  expect(written()).toBe(count + 1);
  const usedAt = Math.floor(clock.now() / 1000);
  expect(store.reader.keyUses.get([ADA, 'listening'])).toEqual({
    usedAt,
    client: null,
    addressClass: null,
  });
  await sweep();
  expect(written()).toBe(count + 1);
});

test('clients that listen are noted in steps with pauses', async () => {
  const { store, queues, perform, pass, sweep } = openSweptRealm();
  const count = 501;
  await perform((tx) => {
    for (let index = 0; index < count; index++) {
      addKey(tx, `key ${index}`);
      tx.queues.put([`q${index}`], rowOf({ keyHash: `key ${index}` }));
    }
  });
  for (let index = 0; index < count; index++) {
    queues.open(`q${index}`, rowOf());
    const queue = queues.find(`q${index}`, ADA) ?? expect.fail('it was opened');
    queues.attach(queue, -1, testConsumer());
  }
  await pass(KEY_USES_WRITTEN_MS);
  await sweep();
  expect([...store.reader.keyUses.keys({})]).toHaveLength(500);
  await pass(PAUSE_MS);
  expect([...store.reader.keyUses.keys({})]).toHaveLength(count);
});

test('a clock that is set back an hour has the uses written as well', async () => {
  const { store, clock, keyUses, perform, pass, sweep } = openSweptRealm();
  await perform((tx) => addKey(tx, 'a'));
  noteUse(keyUses, 'a', clock.now());
  await pass(-KEY_USES_WRITTEN_MS - SWEEP_INTERVAL_MS);
  await sweep();
  expect([...store.reader.keyUses.keys({})]).toHaveLength(1);
});

test('all uses are written at once when the realm is about to stop', async () => {
  const { store, clock, keyUses, housekeeping, perform, pass } = openSweptRealm();
  await perform((tx) => {
    for (let index = 0; index <= KEY_USES_PER_STEP; index++) addKey(tx, `key ${index}`);
  });
  for (let index = 0; index <= KEY_USES_PER_STEP; index++) {
    noteUse(keyUses, `key ${index}`, clock.now());
  }
  housekeeping.writeUses();
  await pass(0);
  expect([...store.reader.keyUses.keys({})]).toHaveLength(KEY_USES_PER_STEP + 1);
});

test('a realm that is opened again knows where its log begins, even if all of it is gone', async () => {
  const store = openTestStore();
  await store.write((tx) => {
    for (let count = 0; count < 5; count++) tx.emit(EVENT);
    for (const id of [1, 2]) tx.events.remove([id]);
  });
  expect(openSweptRealm({ store }).housekeeping.logStart()).toBe(2);
  await store.write((tx) => {
    for (const id of [3, 4, 5]) tx.events.remove([id]);
  });
  expect(openSweptRealm({ store }).housekeeping.logStart()).toBe(5);
});
