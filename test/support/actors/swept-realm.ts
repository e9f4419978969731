import { expect } from 'vitest';
import { isAttached } from '../../../actors/event-queue/queue.ts';
import { openCommits } from '../../../actors/realm/commits.ts';
import { openFanOut } from '../../../actors/realm/fan-out.ts';
import { openHolds } from '../../../actors/realm/holds.ts';
import {
  isHeartbeatDue,
  openHousekeeping,
  removeQueue,
  SWEEP_INTERVAL_MS,
} from '../../../actors/realm/housekeeping.ts';
import { KeyUses } from '../../../actors/realm/key-uses.ts';
import { openQueues } from '../../../actors/realm/queues.ts';
import { BackgroundTurns } from '../../../src/domain/background-turns.ts';
import type { NewLogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { QueueRow } from '../../../storage/tables/realm/events.ts';
import type { Operation } from '../../../storage/transaction.ts';
import { testClock } from '../test-clock.ts';
import { startRealmActor } from './attached-queue.ts';
import { queueOptions, testConsumer } from './listening.ts';
import { openTestStore, type TestStore } from './realm-store.ts';

/** The user who owns the queues. */
export const ADA = 7;

/** An event that everybody hears of. */
export const EVENT: NewLogEntry = {
  event: { type: 'realm', op: 'deactivated', realm_id: 1 },
  audience: { everyone: true },
};

/** Opens a realm without its actor: the test runs the sweeps. */
export function openSweptRealm({ store = openTestStore(), logBytesMax }: Partial<Given> = {}) {
  const clock = testClock();
  const owner = startRealmActor();
  const bugs: unknown[] = [];
  const onBug = (error: unknown) => bugs.push(error);
  const { reader } = store;
  const fanOut = openFanOut({
    record: openRealmRecord(),
    reader,
    clock,
    owner,
    head: reader.head(),
    isHeartbeatDue: (queue) => isHeartbeatDue(queue, clock.now()),
  });
  const commits = openCommits({
    record: openRealmRecord(),
    background: new BackgroundTurns(),
    store,
    clock,
    commitMsMax: Number.POSITIVE_INFINITY,
    space: { isFull: () => false, isShort: () => false, hasRoomFor: () => true },
    broadcast: fanOut.broadcast,
    onWakeAt: () => undefined,
    onQueuesEnded: () => undefined,
    onFailed: onBug,
    onBug,
  });
  let operations = 0;
  const run = (operation: Operation<void>, then?: () => void) => {
    operations += 1;
    commits.run(operation, (outcome) => {
      if (outcome.isDone) then?.();
      else onBug(outcome.error);
    });
  };
  const queues = openQueues({
    record: openRealmRecord(),
    fanOut,
    clock,
    owner,
    logStart: () => housekeeping.logStart(),
    onExpired: (queue) => run((tx) => removeQueue(tx, queue)),
  });
  const holds = openHolds({ queueOf: (id) => queues.all().get(id), now: () => clock.now() });
  const keyUses = new KeyUses();
  const housekeeping = openHousekeeping({
    ...{ store, fanOut, queues, holds, keyUses, clock, run },
    ...(logBytesMax === undefined ? {} : { logBytesMax }),
  });
  const perform = async (operation: Operation<void>) => {
    commits.run(operation, ({ isDone }) => expect(isDone).toBe(true));
    await commits.idle();
  };
  const pass = async (ms: number) => {
    clock.leap(ms);
    await commits.idle();
  };
  return {
    ...{ store, clock, commits, fanOut, queues, holds, keyUses, housekeeping, bugs, perform, pass },
    operations: () => operations,
    /** Commits events, of which live queues hear. */
    log: (count: number, entry = EVENT) =>
      perform((tx) => {
        for (let index = 0; index < count; index++) tx.emit(entry);
      }),
    /** Adds a queue with its row, as registering does. */
    async addQueue(id: string, changes: Partial<QueueRow> = {}) {
      const row = rowOf({ startedAt: reader.head(), acknowledged: reader.head(), ...changes });
      await perform((tx) => tx.queues.put([id], row));
      queues.open(id, row);
    },
    attach(id: string, lastEventId = -1) {
      const consumer = testConsumer();
      const queue = queues.find(id, ADA) ?? expect.fail(`there is no queue ${id}`);
      expect(queues.attach(queue, lastEventId, consumer)).toBe('attached');
      return consumer;
    },
    isAttached(id: string) {
      const queue = queues.all().get(id);
      return queue === undefined ? undefined : isAttached(queue);
    },
    /** Sweeps some times, as often as the realm does, and waits for all that follows at once. */
    async sweep(times = 1) {
      for (let count = 0; count < times; count++) {
        clock.leap(SWEEP_INTERVAL_MS);
        housekeeping.sweep();
        await commits.idle();
      }
    },
  };
}

interface Given {
  readonly store: TestStore;
  readonly logBytesMax: number;
}

/** Returns the row of a queue, by default one that begins before all events. */
export const rowOf = (changes: Partial<QueueRow> = {}): QueueRow => ({
  userId: ADA,
  options: queueOptions(),
  startedAt: 0,
  acknowledged: 0,
  ...changes,
});
