import { expect, onTestFinished, test } from 'vitest';
import { followRealm, type Writer } from '../../../actors/realm/following.ts';
import { SWEEP_INTERVAL_MS } from '../../../actors/realm/housekeeping.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import type { ToldViews } from '../../../storage/told-views.ts';
import { entryOf, queueOptions, testConsumer } from '../../support/actors/listening.ts';
import { addRealm, addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { testClock } from '../../support/test-clock.ts';

const ADA = 7;
const NO_FILES = {} as FileStore; // nothing is uploaded here
const NO_VIEWS = { dropIdle: () => undefined } as unknown as ToldViews; // nobody registers here

/** A realm that follows a store, whose writer notes what it is told. */
async function opened({ logged = 0 } = {}) {
  const store = openTestStore();
  const { event, audience } = entryOf(0);
  const log = (count: number) =>
    store.write((tx) => {
      for (let index = 0; index < count; index++) tx.emit({ event, audience });
    });
  await store.write((tx) => {
    addRealm(tx);
    addUser(tx, ADA);
    tx.queues.put(['q'], { userId: ADA, options: queueOptions(), startedAt: 0, acknowledged: 0 });
  });
  await log(logged);
  const told: unknown[][] = [];
  const note =
    (what: string) =>
    (...given: unknown[]) =>
      void told.push([what, ...given]);
  const writer: Writer = {
    hold: note('hold'),
    letGo: note('let go'),
    stand: note('stand'),
    beat: note('beat'),
    used: note('used'),
    add: () => false,
    begin: () => false,
  };
  const clock = testClock();
  const { reader } = store;
  const following = followRealm({
    id: 1,
    store: { reader, views: NO_VIEWS, refresh: () => undefined, close: async () => undefined },
    files: NO_FILES,
    clock,
    record: openRealmRecord(),
    head: reader.head(),
    writer,
  });
  onTestFinished(() => following.stop(() => 0));
  const { realm } = following;
  const attach = (lastEventId = -1, takesOne = false) => {
    const consumer = testConsumer({ takesOne });
    const queue = realm.queues.find('q', ADA) ?? expect.fail('there is no queue');
    expect(realm.queues.attach(queue, lastEventId, consumer)).toBe('attached');
    return consumer;
  };
  const entries = () => Array.from(reader.events.range({}), ([, entry]) => entry);
  return { ...following, log, entries, attach, told, clock, store };
}

test('a queue is found by its row, catches up from the store, and the writer is told who holds it', async () => {
  const { attach, told, realm } = await opened({ logged: 3 });
  const consumer = attach();
  expect(consumer.ids()).toEqual([1, 2, 3]);
  const standing = { acknowledged: 0, position: 0, deliveredId: 0 };
  expect(told).toEqual([['hold', 'q', standing, expect.any(Number)]]);
  expect(realm.queues.find('q', ADA + 1)).toBeUndefined();
  expect(realm.queues.find('none', ADA)).toBeUndefined();
});

test('events are delivered once, also those that nothing was told of', async () => {
  const { attach, log, entries, announce, announceTo } = await opened({ logged: 1 });
  const consumer = attach();
  await log(1);
  announce(entries().slice(1));
  expect(consumer.ids()).toEqual([1, 2]);
  await log(1_200);
  // The frames of all of these but the last were left out.
  announce(entries().slice(-1));
  expect(consumer.ids()).toEqual(Array.from({ length: 1_202 }, (_, index) => index + 1));
  announce(entries());
  await log(5);
  announceTo(1_207);
  expect(consumer.ids()).toHaveLength(1_207);
});

test('a client may come with events that this process is not told of yet', async () => {
  const { attach, log, entries, announce } = await opened({ logged: 2 });
  await log(2);
  const consumer = attach(4);
  expect(consumer.ids()).toEqual([]);
  announce(entries().slice(2));
  await log(1);
  announce(entries().slice(4));
  await expect.poll(() => consumer.ids()).toEqual([5]);
});

test('a consumer is replaced by a later one elsewhere, and not by an earlier one', async () => {
  const { attach, told, replaced, realm } = await opened();
  const first = attach();
  const [, , , at] = told[0] ?? expect.fail();
  replaced('q', Number(at) - 1);
  expect(first.told).toEqual([]);
  // The writer, which thought otherwise, is told again.
  expect(told.map(([what]) => what)).toEqual(['hold', 'hold']);
  replaced('q', Number(at) + 1);
  expect(first.told).toEqual(['replaced']);
  expect(told.map(([what]) => what)).toEqual(['hold', 'hold', 'let go']);
  expect(realm.queues.all().size).toBe(0);
});

test('a queue that nobody polls is let go, and one that was only looked up is forgotten', async () => {
  const { attach, told, realm, clock, announce, log, entries } = await opened();
  realm.queues.find('q', ADA);
  expect(realm.queues.all().size).toBe(1);
  clock.advance(SWEEP_INTERVAL_MS);
  expect(realm.queues.all().size).toBe(0);
  attach(-1, true);
  await log(1);
  announce(entries());
  clock.advance(SWEEP_INTERVAL_MS * 5);
  expect(told.map(([what]) => what)).toEqual(['hold', 'let go']);
  expect(told[1]).toEqual(['let go', 'q', { acknowledged: 0, position: 1, deliveredId: 1 }]);
});

test('consumers that have waited for long are told of, and so is where queues stand', async () => {
  const { attach, told, clock } = await opened({ logged: 4 });
  attach();
  clock.advance(SWEEP_INTERVAL_MS * 12);
  expect(told).toContainEqual(['beat']);
  const standing = { acknowledged: 0, position: 4, deliveredId: 4 };
  expect(told).toContainEqual(['stand', [['q', standing]]]);
});

test('a queue that has ended says so to its consumer, and a stop tells when to come back', async () => {
  const ended = await opened();
  const consumer = ended.attach();
  ended.end('q', 'account gone');
  expect(consumer.told).toEqual(['account gone']);
  const stopped = await opened();
  const other = stopped.attach();
  await stopped.stop(() => 250);
  expect(other.told).toEqual([{ retryAfterMs: 250 }]);
  expect(stopped.realm.isOpen()).toBe(false);
  expect(() =>
    stopped.realm.run(
      () => undefined,
      () => undefined,
    ),
  ).toThrow('does not write');
});

test('uses of keys are told once, and remembered for an hour', async () => {
  const { realm, told, clock } = await opened();
  const key = { userId: ADA, keyHash: 'hash' };
  realm.keyUses.note(key, { client: 'curl', address: '127.0.0.1' }, clock.now());
  expect(realm.keyUses.isNoted('hash')).toBe(true);
  clock.advance(2 * SWEEP_INTERVAL_MS);
  const uses = told.filter(([what]) => what === 'used');
  expect(uses).toEqual([['used', [expect.objectContaining(key)]]]);
  clock.advance(3_600_000);
  expect(realm.keyUses.isNoted('hash')).toBe(false);
});
