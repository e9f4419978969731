import { expect, test } from 'vitest';
import { SWEEP_INTERVAL_MS } from '../../actors/realm/housekeeping.ts';
import type { RealmInput } from '../../actors/realm/parts.ts';
import { type RealmActor, type SupervisedRealm, superviseRealm } from '../../actors/supervisor.ts';
import { serverStopping } from '../../src/domain/wire/errors.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import { testConsumer } from '../support/actors/listening.ts';
import { type TestInput, testInput } from '../support/actors/realm-input.ts';
import { addRealm, addUser, openTestStore } from '../support/actors/realm-store.ts';
import { ADA, EVENT, rowOf } from '../support/actors/swept-realm.ts';
import { turn, turnsUntil } from '../support/actors/turns.ts';
import { temporaryFolder } from '../support/scratch.ts';

/** The pause before a failed realm starts again. */
const PAUSE_MS = 1_000;
const BUG = new Error('a bug');
const NO_PAUSE = () => 0;

interface Given {
  readonly write?: (tx: RealmTransaction) => void;
  readonly changes?: (input: TestInput) => Partial<RealmInput>;
}

/** Makes the input of a supervisor, and notes everything that the supervisor tells. */
async function given({ write, changes }: Given = {}) {
  const path = temporaryFolder();
  const before = openTestStore(path);
  await before.write((tx) => {
    addRealm(tx);
    addUser(tx, ADA);
    write?.(tx);
  });
  await before.close();
  const actors: RealmActor[] = [];
  const failures: unknown[] = [];
  const input = testInput(path);
  const { clock, stores } = input;
  const supervise = () =>
    superviseRealm({
      ...input,
      ...changes?.(input),
      onFailed: (error) => failures.push(error),
      onActor: (actor) => actors.push(actor),
    });
  /** Lets the realm's actor fail, as a bug in its parts does. */
  const fail = (error: unknown) => actors.at(-1)?.send({ type: 'fail', error });
  const isOpen = () => stores.map(({ isClosed }) => !isClosed);
  return { supervise, input, clock, stores, actors, failures, fail, isOpen };
}

async function supervised(options: Given = {}) {
  const told = await given(options);
  const realm = await told.supervise();
  return { ...told, realm };
}

const withQueue = (tx: RealmTransaction) => tx.queues.put(['q'], rowOf());

function attach(realm: SupervisedRealm) {
  const { queues } = realm.current();
  const consumer = testConsumer();
  const queue = queues.find('q', ADA) ?? expect.fail('it was stored');
  expect(queues.attach(queue, -1, consumer)).toBe('attached');
  return consumer;
}

/** Waits until the realm has failed and its store is closed. */
const closed = ({ stores }: { stores: TestInput['stores'] }) =>
  turnsUntil(() => stores.at(-1)?.isClosed === true);

test('a realm that is supervised is open, and its actor is told before it starts', async () => {
  const { realm, actors, failures, stores } = await supervised();
  expect(realm.current().isOpen()).toBe(true);
  expect(await realm.current().perform((tx) => tx.emit(EVENT))).toBe(1);
  expect([actors.length, stores.length, failures]).toEqual([1, 1, []]);
});

test('a realm that cannot be opened rejects with the reason, and is not tried again', async () => {
  const fault = new Error('no store');
  let tries = 0;
  const { supervise, clock, failures } = await given({
    changes: () => ({
      openStore() {
        tries += 1;
        throw fault;
      },
    }),
  });
  await expect(supervise()).rejects.toBe(fault);
  clock.advance(5 * PAUSE_MS);
  await turn();
  expect([tries, failures]).toEqual([1, []]);
});

test('a store without a realm rejects, and is closed', async () => {
  const write = (tx: RealmTransaction) => tx.realm.remove(['realm']);
  const { supervise, actors, isOpen } = await given({ write });
  await expect(supervise()).rejects.toThrow('the store holds no realm');
  expect(isOpen()).toEqual([false]);
  // It does not sweep a store that is closed.
  expect(actors[0]?.getSnapshot().value).toBe('failed');
});

test('a bug closes the realm at once, and sends its consumers away for as long as the pause', async () => {
  const { realm, failures, fail, stores } = await supervised({ write: withQueue });
  const consumer = attach(realm);
  const failing = realm.current();
  fail(BUG);
  expect(failures).toEqual([BUG]);
  expect(realm.current() === failing).toBe(true);
  expect(failing.isOpen()).toBe(false);
  expect(consumer.told).toEqual([{ retryAfterMs: PAUSE_MS }]);
  await expect(failing.perform(() => undefined)).rejects.toEqual(serverStopping());
  await closed({ stores });
});

test('after a pause it starts again from its store, with all that was committed', async () => {
  const { realm, clock, actors, fail, stores, isOpen } = await supervised({ write: withQueue });
  const first = realm.current();
  const answer = first.perform((tx) => tx.emit(EVENT));
  fail(BUG);
  await closed({ stores });
  expect(await answer).toBe(2);
  clock.advance(PAUSE_MS - 1);
  await turn();
  expect(actors).toHaveLength(1);
  clock.advance(1);
  await turnsUntil(() => realm.current().isOpen());
  expect(realm.current() === first).toBe(false);
  // It told its queue of the restart once more.
  expect(realm.current().reader.head()).toBe(3);
  expect(attach(realm).ids()).toEqual([1, 2, 3]);
  expect([first.isOpen(), isOpen()]).toEqual([false, [false, true]]);
});

test('it starts again as often as it fails', async () => {
  const { realm, clock, failures, fail, stores } = await supervised();
  for (let count = 0; count < 3; count++) {
    fail(BUG);
    await closed({ stores });
    clock.advance(PAUSE_MS);
    await turnsUntil(() => realm.current().isOpen());
  }
  expect([failures, stores.length]).toEqual([[BUG, BUG, BUG], 4]);
});

test('an exception in an action of its actor is a bug like others', async () => {
  const { realm, clock, actors, failures, stores } = await supervised({ write: withQueue });
  const consumer = attach(realm);
  const sweep = () => {
    throw BUG;
  };
  Object.assign(actors[0]?.getSnapshot().context.parts?.housekeeping ?? {}, { sweep });
  clock.advance(SWEEP_INTERVAL_MS);
  await closed({ stores });
  expect(realm.current().isOpen()).toBe(false);
  expect(consumer.told).toEqual([{ retryAfterMs: PAUSE_MS }]);
  clock.advance(PAUSE_MS);
  await turnsUntil(() => realm.current().isOpen());
  expect([actors.length, failures]).toEqual([2, [BUG]]);
});

test('a realm that cannot be opened again is tried each second until it can', async () => {
  const fault = new Error('no store');
  let isGone = false;
  const { realm, clock, actors, failures, fail, stores } = await supervised({
    changes: (input) => ({
      openStore() {
        if (isGone) throw fault;
        return input.openStore();
      },
    }),
  });
  isGone = true;
  fail(BUG);
  await closed({ stores });
  for (let tries = 1; tries <= 3; tries++) {
    clock.advance(PAUSE_MS);
    await turnsUntil(() => failures.length > tries);
  }
  expect(failures).toEqual([BUG, fault, fault, fault]);
  expect(realm.current().isOpen()).toBe(false);
  isGone = false;
  await turn();
  clock.advance(PAUSE_MS);
  await turnsUntil(() => realm.current().isOpen());
  expect(actors).toHaveLength(5);
});

test('stopping drains the realm: consumers are told when to come back, and what was taken is committed', async () => {
  const { realm, clock, actors, failures, isOpen } = await supervised({ write: withQueue });
  const consumer = attach(realm);
  const answer = realm.current().perform((tx) => tx.emit(EVENT));
  await realm.stop(() => 700);
  expect(await answer).toBe(2);
  expect(consumer.told).toEqual([{ retryAfterMs: 700 }]);
  expect(realm.current().isOpen()).toBe(false);
  expect(isOpen()).toEqual([false]);
  clock.advance(60_000);
  await turn();
  expect([actors.length, failures]).toEqual([1, []]);
});

test('a realm that is stopped in its pause does not start again', async () => {
  const { realm, clock, actors, fail, stores, isOpen } = await supervised();
  fail(BUG);
  await closed({ stores });
  await realm.stop(NO_PAUSE);
  clock.advance(5 * PAUSE_MS);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect([actors.length, isOpen()]).toEqual([1, [false]]);
});

test('stopping waits for the store of a realm that has just failed', async () => {
  const { realm, fail, isOpen } = await supervised();
  const answer = realm.current().perform((tx) => tx.emit(EVENT));
  fail(BUG);
  await realm.stop(NO_PAUSE);
  expect(isOpen()).toEqual([false]);
  expect(await answer).toBe(1);
});

test('stopping waits for the store of a realm that fails instead', async () => {
  const { realm, failures, fail, isOpen } = await supervised();
  const answer = realm.current().perform((tx) => tx.emit(EVENT));
  const stopping = realm.stop(NO_PAUSE);
  fail(BUG);
  await stopping;
  expect([isOpen(), failures]).toEqual([[false], [BUG]]);
  expect(await answer).toBe(1);
});

test('a realm that is stopped while it starts again is closed, too', async () => {
  const { realm, clock, fail, stores, isOpen } = await supervised({ write: withQueue });
  fail(BUG);
  await closed({ stores });
  clock.advance(PAUSE_MS);
  // The restart takes some turns, as it tells the queue of it.
  await turnsUntil(() => stores.length === 2);
  expect(isOpen()).toEqual([false, true]);
  await realm.stop(NO_PAUSE);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(isOpen()).toEqual([false, false]);
  expect(realm.current().isOpen()).toBe(false);
});

test('a realm that fails as it starts closes its store before it is tried again', async () => {
  let isBroken = true;
  const changes = ({ scheduler }: TestInput): Partial<RealmInput> => ({
    scheduler: {
      ...scheduler,
      due(...given) {
        if (isBroken) throw BUG;
        return scheduler.due(...given);
      },
    },
  });
  const first = await given({ changes });
  await expect(first.supervise()).rejects.toBe(BUG);
  expect(first.isOpen()).toEqual([false]);

  isBroken = false;
  const { realm, clock, failures, fail, stores, isOpen } = await supervised({ changes });
  isBroken = true;
  fail(BUG);
  await closed({ stores });
  clock.advance(PAUSE_MS);
  await turnsUntil(() => failures.length === 2);
  expect(isOpen()).toEqual([false, false]);
  isBroken = false;
  await turn();
  clock.advance(PAUSE_MS);
  await turnsUntil(() => realm.current().isOpen());
  expect(isOpen()).toEqual([false, false, true]);
});
