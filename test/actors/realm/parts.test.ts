import { expect, test } from 'vitest';
import { isAttached } from '../../../actors/event-queue/queue.ts';
import { openRealmParts, type RealmInput, type RealmParts } from '../../../actors/realm/parts.ts';
import { HEARTBEAT_MS } from '../../../src/domain/limits/event-queues.ts';
import { Role } from '../../../src/domain/wire/roles.ts';
import type { Operation, RealmTransaction } from '../../../storage/transaction.ts';
import { startRealmActor } from '../../support/actors/attached-queue.ts';
import { type TestConsumer, testConsumer } from '../../support/actors/listening.ts';
import { type TestInput, testInput } from '../../support/actors/realm-input.ts';
import { addRealm, addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { ADA, EVENT, rowOf } from '../../support/actors/swept-realm.ts';
import { turnsUntil } from '../../support/actors/turns.ts';
import { temporaryFolder } from '../../support/scratch.ts';

interface Opened extends RealmParts {
  readonly input: TestInput;
  /** The events that the realm's actor was sent. */
  readonly sent: string[];
  perform<Reply>(operation: Operation<Reply>): Promise<Reply>;
  attach(id: string, consumer?: TestConsumer): TestConsumer;
}

interface Given {
  readonly write?: (tx: RealmTransaction) => void;
  readonly changes?: Partial<RealmInput>;
  readonly prepare?: (input: TestInput) => void;
}

/** The parts of a realm that is opened on a store with these rows. */
async function opened({ write, changes, prepare }: Given = {}): Promise<Opened> {
  const path = temporaryFolder();
  const before = openTestStore(path);
  await before.write((tx) => {
    addRealm(tx);
    addUser(tx, ADA);
    write?.(tx);
  });
  await before.close();
  const input = testInput(path, changes);
  prepare?.(input);
  const sent: string[] = [];
  const owner = startRealmActor((type) => sent.push(type));
  const parts = await openRealmParts({ ...input, owner });
  return {
    ...parts,
    input,
    sent,
    perform: (operation) =>
      new Promise((resolve, reject) => {
        parts.commits.run(operation, (outcome) => {
          if (outcome.isDone) resolve(outcome.reply);
          else reject(outcome.error);
        });
      }),
    attach(id, consumer = testConsumer()) {
      const queue = parts.queues.all().get(id) ?? expect.fail(`there is no queue ${id}`);
      expect(parts.queues.attach(queue, -1, consumer)).toBe('attached');
      return consumer;
    },
  };
}

const twoQueues = (tx: RealmTransaction) => {
  tx.queues.put(['a'], rowOf());
  tx.queues.put(['b'], rowOf({ userId: ADA + 1 }));
  addUser(tx, ADA + 1, { isActive: false, role: Role.guest });
};

test('a realm that is opened has its queues again, detached, and tells them of the restart', async () => {
  const { queues, reader, attach, input } = await opened({
    write(tx) {
      twoQueues(tx);
      tx.emit(EVENT);
    },
  });
  expect(Array.from(queues.all().values(), (queue) => [queue.id, isAttached(queue)])).toEqual([
    ['a', false],
    ['b', false],
  ]);
  expect(reader.head()).toBe(2);
  expect(attach('a').events()).toMatchObject([
    [
      { id: 1, type: 'realm' },
      { id: 2, type: 'web_reload_client' },
    ],
  ]);
  expect(attach('b').ids()).toEqual([1, 2]);
  expect(input.bugs).toEqual([]);
});

test('nothing is written as a realm is opened that has no queue, or no space', async () => {
  const withoutQueue = await opened();
  expect(withoutQueue.reader.head()).toBe(0);
  const onFullDisk = await opened({
    write: twoQueues,
    prepare: ({ state }) => {
      state.isFull = true;
    },
  });
  expect(onFullDisk.reader.head()).toBe(0);
  expect(onFullDisk.queues.all().size).toBe(2);
});

test('the door is closed until somebody opens it', async () => {
  const { door } = await opened();
  expect(door.isOpen()).toBe(false);
  door.open();
  expect(door.isOpen()).toBe(true);
  door.close();
  expect(door.isOpen()).toBe(false);
});

test('queues that an operation ends are told why, before they hear of its events', async () => {
  const { attach, input, perform, queues } = await opened({ write: twoQueues });
  const [active, inactive] = [attach('a'), attach('b')];
  await perform((tx) => {
    for (const id of ['a', 'b', 'unknown']) tx.endQueue(id);
    tx.emit(EVENT);
  });
  expect([active.told, inactive.told]).toEqual([['queue gone'], ['account gone']]);
  expect([active.ids(), inactive.ids()]).toEqual([[1], [1]]);
  expect([queues.all().size, input.bugs]).toEqual([0, []]);
});

test('consumers that have waited for long get heartbeats', async () => {
  const { attach, commits, housekeeping, input } = await opened({ write: twoQueues });
  const consumer = attach('a');
  input.clock.advance(HEARTBEAT_MS);
  housekeeping.sweep();
  await commits.idle();
  expect(consumer.events().flat().at(-1)).toEqual({ id: 2, type: 'heartbeat' });
});

test('an earlier time wakes the actor of the realm, a later one does not', async () => {
  const { input, perform, scheduler, sent } = await opened();
  input.state.nextAt = input.clock.now() + 5_000;
  expect(scheduler.untilDue()).toBe(5_000);
  await perform((tx) => tx.wakeAt(input.clock.now() + 5_000));
  expect(sent).toEqual([]);
  await perform((tx) => tx.wakeAt(input.clock.now() + 4_999));
  expect(sent).toEqual(['wake']);
});

test('jobs that are due run in commits, and go on only while the door is open', async () => {
  const { commits, door, input, scheduler, sent } = await opened();
  let tries = 0;
  const attempt = () => {
    tries += 1;
    return [`entry ${tries}`];
  };
  input.state.due = [{ kind: {}, attempt, onFailure: () => undefined }];
  door.open();
  scheduler.work();
  await commits.idle();
  expect(input.delivered).toEqual(['entry 1']);
  input.clock.advance(1);
  await commits.idle();
  expect(input.delivered).toEqual(['entry 1', 'entry 2']);
  expect(sent).toEqual([]);
  door.close();
  input.state.nextAt = input.clock.now() + 5_000;
  input.clock.advance(1);
  await commits.idle();
  // The store may be closed by then, so nothing is read to wait for what is next.
  expect([tries, sent]).toEqual([2, []]);
});

test('an operation of the realm itself that throws is a bug', async () => {
  const refusing = new Error('it cannot be written');
  let isRefusing = false;
  const path = temporaryFolder();
  const store = openTestStore(path);
  await store.write((tx) => {
    addRealm(tx);
    tx.queues.put(['a'], rowOf());
  });
  const input = testInput(path, {
    openStore: () => ({
      ...store,
      commit: (take, now) =>
        store.commit(function* () {
          for (const operation of take()) {
            yield (tx) => {
              operation(tx);
              if (isRefusing) throw refusing;
            };
          }
        }, now),
    }),
  });
  const { commits, queues } = await openRealmParts({ ...input, owner: startRealmActor() });
  isRefusing = true;
  const queue = queues.all().get('a') ?? expect.fail('it was opened');
  if (isAttached(queue)) expect.fail('nobody attached it');
  queues.expire(queue);
  await commits.idle();
  expect(input.bugs).toEqual([refusing]);
  expect(store.reader.queues.get(['a'])).toBeDefined();
});

test('an exception as events are delivered is a bug, and costs no other queue its events', async () => {
  const bug = new Error('a bug');
  const { input, attach, perform } = await opened({ write: twoQueues });
  const answer = () => {
    if (input.clock.now() > start) throw bug;
    return 'taken' as const;
  };
  const start = input.clock.now();
  attach('a', testConsumer({ answer }));
  const other = attach('b');
  input.clock.advance(1);
  await perform((tx) => tx.emit(EVENT));
  await turnsUntil(() => input.bugs.length > 0 && other.ids().length > 1);
  expect(input.bugs).toEqual([bug]);
  expect(other.ids()).toEqual([1, 2]);
});

test('a commit that does not reach the disk is told, and nobody is answered', async () => {
  const fault = new Error('the disk is gone');
  const path = temporaryFolder();
  const store = openTestStore(path);
  await store.write((tx) => addRealm(tx));
  const openStore = () => ({ ...store, commit: () => Promise.reject(fault) });
  const input = testInput(path, { openStore });
  const { commits } = await openRealmParts({ ...input, owner: startRealmActor() });
  const answers: unknown[] = [];
  commits.run(
    () => undefined,
    (outcome) => answers.push(outcome),
  );
  await turnsUntil(() => input.faults.length > 0);
  expect(input.faults).toEqual([fault]);
  expect([answers, input.bugs]).toEqual([[], []]);
});

test('all consumers are told when to come back, each a time of its own, and have no queue any more', async () => {
  const { attach, dismissConsumers, perform, queues } = await opened({
    write(tx) {
      twoQueues(tx);
      tx.queues.put(['gone'], rowOf());
      tx.queues.put(['detached'], rowOf());
    },
  });
  const consumers = [attach('a'), attach('b')];
  const gone = attach('gone');
  queues.consumerGone('gone', gone);
  let retryAfterMs = 0;
  dismissConsumers(() => {
    retryAfterMs += 100;
    return retryAfterMs;
  });
  expect(consumers.map(({ told }) => told)).toEqual([
    [{ retryAfterMs: 100 }],
    [{ retryAfterMs: 200 }],
  ]);
  expect(gone.told).toEqual([]);
  await perform((tx) => tx.emit(EVENT));
  expect(consumers.map((consumer) => consumer.ids())).toEqual([[1], [1]]);
});

test('closing waits for what was taken, writes the uses of keys, and then closes the store', async () => {
  const path = temporaryFolder();
  const store = openTestStore(path);
  await store.write((tx) => {
    addRealm(tx);
    tx.apiKeys.put([ADA, 'key'], { createdAt: 0, origin: 'issued', madeBy: null });
  });
  let isWritten: boolean | undefined;
  const close = () => {
    isWritten = keyUses.unwrittenOf('key') === undefined;
    return store.close();
  };
  const input = testInput(path, { openStore: () => ({ ...store, close }) });
  const parts = await openRealmParts({ ...input, owner: startRealmActor() });
  const { commits, keyUses } = parts;
  commits.run(
    (tx) => tx.emit(EVENT),
    () => keyUses.note({ userId: ADA, keyHash: 'key' }, { client: 'phone', address: '' }, 5_000),
  );
  await parts.close();
  expect([isWritten, store.isClosed]).toEqual([true, true]);
  const again = openTestStore(path);
  expect(again.reader.head()).toBe(1);
  expect(again.reader.keyUses.get([ADA, 'key'])).toMatchObject({ client: 'phone', usedAt: 5 });
});

test('a log larger than the given bytes is cut, and a commit takes operations for the given time', async () => {
  const times: number[] = [];
  const { input, housekeeping, commits, perform } = await opened({
    changes: { logBytesMax: 0, commitMsMax: 0 },
  });
  await perform((tx) => {
    for (let count = 0; count < 100; count++) tx.emit(EVENT);
  });
  for (let sweeps = 0; sweeps < 6; sweeps++) housekeeping.sweep();
  await commits.idle();
  expect(housekeeping.logStart()).toBe(11);
  input.clock.passAtEachLook(1);
  for (let count = 0; count < 3; count++) {
    commits.run(
      (tx) => times.push(tx.now),
      () => undefined,
    );
  }
  await commits.idle();
  // Each is in a commit of its own, so each has a time of its own.
  expect(new Set(times).size).toBe(3);
});

test('a realm whose clients cannot be told of the restart is not opened, and its store is closed', async () => {
  const fault = new Error('no such event');
  let stores: TestInput['stores'] = [];
  const opening = opened({
    write: twoQueues,
    changes: {
      restartEvent: () => {
        throw fault;
      },
    },
    prepare: (input) => {
      stores = input.stores;
    },
  });
  await expect(opening).rejects.toBe(fault);
  expect(stores.map(({ isClosed }) => isClosed)).toEqual([true]);
});
