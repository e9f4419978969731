import { expect, test } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { SWEEP_INTERVAL_MS } from '../../../actors/realm/housekeeping.ts';
import type { RealmInput } from '../../../actors/realm/parts.ts';
import { realmMachine } from '../../../actors/realm/realm.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { testConsumer } from '../../support/actors/listening.ts';
import { testInput } from '../../support/actors/realm-input.ts';
import { addRealm, addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { ADA, EVENT, rowOf } from '../../support/actors/swept-realm.ts';
import { turn, turnsUntil } from '../../support/actors/turns.ts';
import { temporaryFolder } from '../../support/scratch.ts';

interface Given {
  readonly changes?: Partial<RealmInput>;
  readonly write?: (tx: RealmTransaction) => void;
}

/** The actor of a realm, not yet started. */
async function made({ changes, write }: Given = {}) {
  const path = temporaryFolder();
  const before = openTestStore(path);
  await before.write((tx) => {
    addRealm(tx);
    addUser(tx, ADA);
    write?.(tx);
  });
  await before.close();
  const input = testInput(path, changes);
  const actor = createActor(realmMachine, { clock: input.clock, input });
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  const parts = () => actor.getSnapshot().context.parts ?? expect.fail('it is not loaded');
  return { actor, input, errors, parts, path };
}

async function active(given: Given = {}) {
  const opened = await made(given);
  opened.actor.start();
  await waitFor(opened.actor, ({ value }) => typeof value === 'object');
  return opened;
}

const NO_PAUSE = () => 0;

test('it loads its store, then takes operations', async () => {
  const { actor, parts, input } = await made();
  actor.start();
  expect(actor.getSnapshot()).toMatchObject({ value: 'loading', context: { parts: null } });
  await waitFor(actor, ({ value }) => typeof value === 'object');
  expect(actor.getSnapshot().value).toEqual({
    active: { housekeeping: 'waiting', scheduler: 'waiting' },
  });
  expect(parts().door.isOpen()).toBe(true);
  expect(parts().actor).toBe(actor);
  expect(input.stores).toHaveLength(1);
});

test('a store that cannot be opened fails it, and the error is kept', async () => {
  const fault = new Error('no store');
  const openStore = () => {
    throw fault;
  };
  const { actor } = await made({ changes: { openStore } });
  actor.start();
  const { value, context } = await waitFor(actor, ({ status }) => status === 'done');
  expect([value, context.failure, context.parts]).toEqual(['failed', fault, null]);
});

test('it sweeps every few seconds for as long as it is active', async () => {
  const { actor, input, parts } = await active({
    write: (tx) => tx.queues.put(['q'], rowOf({ userId: ADA })),
  });
  const { queues } = parts();
  const consumer = testConsumer();
  queues.attach(queues.all().get('q') ?? expect.fail('it was stored'), -1, consumer);
  queues.consumerGone('q', consumer);
  const swept = () => [...parts().fanOut.attached()].length === 0;
  input.clock.advance(2 * SWEEP_INTERVAL_MS);
  expect(swept()).toBe(false);
  input.clock.advance(SWEEP_INTERVAL_MS);
  expect(swept()).toBe(true);
  expect(actor.getSnapshot().value).toMatchObject({ active: { housekeeping: 'waiting' } });
});

/** Notes when the scheduler was asked for jobs that are due. */
function withAgenda() {
  const looked: number[] = [];
  const agenda: { nextAt: number | undefined } = { nextAt: undefined };
  const scheduler: RealmInput['scheduler'] = {
    nextAt: () => agenda.nextAt,
    due: (_reader, now) => {
      looked.push(now);
      if (agenda.nextAt !== undefined && agenda.nextAt <= now) agenda.nextAt = undefined;
      return [];
    },
    noteFailure: () => undefined,
    deliver: () => undefined,
  };
  return { looked, agenda, scheduler };
}

test('it looks for jobs as it starts, when the next is due, and earlier if it is woken', async () => {
  const { looked, agenda, scheduler } = withAgenda();
  const { actor, input } = await active({ changes: { scheduler } });
  const start = input.clock.now();
  expect(looked).toEqual([start]);
  agenda.nextAt = start + 9_000;
  actor.send({ type: 'wake' });
  expect(looked).toEqual([start]);
  input.clock.advance(8_000);
  expect(looked).toEqual([start]);
  input.clock.advance(1_000);
  expect(looked).toEqual([start, start + 9_000]);
  agenda.nextAt = start + 20_000;
  actor.send({ type: 'wake' });
  agenda.nextAt = start + 12_000;
  actor.send({ type: 'wake' });
  input.clock.advance(3_000);
  expect(looked).toEqual([start, start + 9_000, start + 12_000]);
});

test('draining closes the door, sends the consumers away, commits what was taken and closes the store', async () => {
  const { actor, input, parts } = await active({
    write: (tx) => tx.queues.put(['q'], rowOf({ userId: ADA })),
  });
  const { commits, door, queues } = parts();
  const consumer = testConsumer();
  queues.attach(queues.all().get('q') ?? expect.fail('it was stored'), -1, consumer);
  const answers: unknown[] = [];
  commits.run(
    (tx) => tx.emit(EVENT),
    (outcome) => answers.push(outcome),
  );
  actor.send({ type: 'drain', retryAfterMs: () => 700 });
  expect(actor.getSnapshot().value).toBe('draining');
  expect(door.isOpen()).toBe(false);
  expect(consumer.told).toEqual([{ retryAfterMs: 700 }]);
  await waitFor(actor, ({ status }) => status === 'done');
  expect(actor.getSnapshot().value).toBe('stopped');
  expect(answers).toEqual([{ isDone: true, reply: 2 }]);
  expect(input.stores[0]?.isClosed).toBe(true);
});

test('a realm that drains sweeps no more, looks for no jobs, and does not fail', async () => {
  const { looked, agenda, scheduler } = withAgenda();
  const { actor, input } = await active({ changes: { scheduler } });
  const count = looked.length;
  agenda.nextAt = input.clock.now();
  actor.send({ type: 'drain', retryAfterMs: NO_PAUSE });
  actor.send({ type: 'wake' });
  actor.send({ type: 'fail', error: new Error('too late') });
  input.clock.advance(60_000);
  await waitFor(actor, ({ status }) => status === 'done');
  expect(actor.getSnapshot()).toMatchObject({ value: 'stopped', context: { failure: null } });
  expect(looked).toHaveLength(count);
});

test('a bug fails it: the door is closed and the error kept, and whoever supervises it closes the rest', async () => {
  const bug = new Error('a bug');
  const { actor, input, parts, errors } = await active();
  const { door } = parts();
  actor.send({ type: 'fail', error: bug });
  expect(actor.getSnapshot()).toMatchObject({ value: 'failed', status: 'done' });
  expect(actor.getSnapshot().context.failure).toBe(bug);
  expect(door.isOpen()).toBe(false);
  await turn();
  expect([input.stores[0]?.isClosed, errors]).toEqual([false, []]);
});

test('an exception of an action ends it with that error, and its parts can still be closed', async () => {
  const bug = new Error('a bug');
  const { actor, input, parts, errors } = await active();
  const sweep = () => {
    throw bug;
  };
  Object.assign(parts().housekeeping, { sweep });
  input.clock.advance(SWEEP_INTERVAL_MS);
  await turnsUntil(() => errors.length > 0);
  expect(errors).toEqual([bug]);
  expect(actor.getSnapshot().status).toBe('error');
  await parts().close();
  expect(input.stores[0]?.isClosed).toBe(true);
});
