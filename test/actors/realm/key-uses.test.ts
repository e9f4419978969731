import { expect, test } from 'vitest';
import { KeyUses, noteListening } from '../../../actors/realm/key-uses.ts';
import { KEY_USES_PER_STEP } from '../../../src/domain/limits/credentials.ts';
import type { Operation, RealmTransaction } from '../../../storage/transaction.ts';
import { queueOptions } from '../../support/actors/listening.ts';
import { openTestStore } from '../../support/actors/realm-store.ts';
import { START_MS } from '../../support/test-clock.ts';

const USER = 7;
const FROM = { client: 'website', address: '10.0.0.1' };
const NOW_SECONDS = START_MS / 1000;

const keyOf = (keyHash: string) => ({ userId: USER, keyHash });

const addKey = (tx: RealmTransaction, keyHash: string) =>
  tx.apiKeys.put([USER, keyHash], { createdAt: 0, origin: 'issued', madeBy: null });

test('a use is known at once, without address, in whole seconds, and the latest replaces the one before', () => {
  const uses = new KeyUses();
  expect(uses.unwrittenOf('a')).toBeUndefined();
  uses.note(keyOf('a'), FROM, 12_999);
  expect(uses.unwrittenOf('a')).toEqual({
    usedAt: 12,
    client: 'website',
    addressClass: 'private',
  });
  uses.note(keyOf('a'), { client: 'phone', address: '' }, 20_000);
  expect(uses.unwrittenOf('a')).toEqual({ usedAt: 20, client: 'phone', addressClass: null });
  expect(uses.unwrittenOf('b')).toBeUndefined();
});

test('a key is noted once in a period, and again in the next', () => {
  const uses = new KeyUses();
  expect(uses.isNoted('a')).toBe(false);
  uses.note(keyOf('a'), FROM, 1_000);
  expect([uses.isNoted('a'), uses.isNoted('b')]).toEqual([true, false]);
  uses.period += 1;
  expect(uses.isNoted('a')).toBe(false);
  expect(uses.unwrittenOf('a')).toBeDefined();
});

test('uses of keys that exist are written, and are forgotten only once they are on disk', async () => {
  const store = openTestStore();
  await store.write((tx) => addKey(tx, 'a'));
  const uses = new KeyUses();
  expect(uses.nextStep()).toBeUndefined();
  uses.note(keyOf('a'), FROM, 5_000);
  uses.note(keyOf('ended'), FROM, 5_000);
  const step = uses.nextStep() ?? expect.fail();
  await store.write(step.write);
  expect(uses.unwrittenOf('a')).toBeDefined();
  step.done();
  expect([uses.unwrittenOf('a'), uses.unwrittenOf('ended')]).toEqual([undefined, undefined]);
  expect(uses.nextStep()).toBeUndefined();
  expect([...store.reader.keyUses.range({})]).toEqual([
    [[USER, 'a'], { usedAt: 5, client: 'website', addressClass: 'private' }],
  ]);
});

test('a step that is not done is tried again, and a use that is noted meanwhile stays noted', async () => {
  const store = openTestStore();
  await store.write((tx) => addKey(tx, 'a'));
  const uses = new KeyUses();
  uses.note(keyOf('a'), FROM, 5_000);
  const first = uses.nextStep() ?? expect.fail();
  const again = uses.nextStep() ?? expect.fail();
  await store.write(again.write);
  uses.note(keyOf('a'), FROM, 9_000);
  again.done();
  expect(uses.unwrittenOf('a')?.usedAt).toBe(9);
  first.done();
  expect(uses.unwrittenOf('a')?.usedAt).toBe(9);
  await store.write((uses.nextStep() ?? expect.fail()).write);
  expect(store.reader.keyUses.get([USER, 'a'])?.usedAt).toBe(9);
});

test('a step writes a bounded number of uses, the oldest notes first', async () => {
  const store = openTestStore();
  const names = Array.from({ length: KEY_USES_PER_STEP + 1 }, (_, index) => `key ${index}`);
  await store.write((tx) => {
    for (const name of names) addKey(tx, name);
  });
  const uses = new KeyUses();
  for (const name of names) uses.note(keyOf(name), FROM, 5_000);
  const step = uses.nextStep() ?? expect.fail();
  await store.write(step.write);
  step.done();
  const written = [...store.reader.keyUses.keys({})].map(([, name]) => name);
  expect(written.toSorted()).toEqual(names.slice(0, -1).toSorted());
  expect(uses.unwrittenOf(names.at(-1) ?? '')).toBeDefined();
});

test('at the end all uses are written, one step after the other, and a refused step ends it', async () => {
  const store = openTestStore();
  const count = 2 * KEY_USES_PER_STEP + 1;
  await store.write((tx) => {
    for (let index = 0; index < count; index++) addKey(tx, `key ${index}`);
  });
  const uses = new KeyUses();
  for (let index = 0; index < count; index++) uses.note(keyOf(`key ${index}`), FROM, 5_000);

  let refused = 0;
  uses.write(() => {
    refused += 1;
  });
  expect(refused).toBe(1);

  let steps = 0;
  await new Promise<void>((resolve) => {
    const run = async (operation: Operation<void>, then: () => void) => {
      steps += 1;
      await store.write(operation);
      then();
      if (uses.nextStep() === undefined) resolve();
    };
    uses.write((operation, then) => void run(operation, then));
  });
  expect(steps).toBe(3);
  expect([...store.reader.keyUses.keys({})]).toHaveLength(count);
});

test('listening counts as a use of the key of the queue, and keeps what is known of the client', async () => {
  const store = openTestStore();
  const queue = { userId: USER, options: queueOptions(), startedAt: 0, acknowledged: 0 };
  await store.write((tx) => {
    for (const name of ['known', 'new']) addKey(tx, name);
    tx.keyUses.put([USER, 'known'], { usedAt: 1, client: 'phone', addressClass: 'public' });
    for (const keyHash of ['known', 'new', 'ended']) {
      tx.queues.put([`queue of ${keyHash}`], { ...queue, keyHash });
    }
    tx.queues.put(['queue of no key'], queue);
  });
  const names = ['known', 'new', 'ended', 'no key', 'nothing'];
  await store.write((tx) =>
    noteListening(
      tx,
      names.map((name) => `queue of ${name}`),
    ),
  );
  expect([...store.reader.keyUses.range({})]).toEqual([
    [[USER, 'known'], { usedAt: NOW_SECONDS, client: 'phone', addressClass: 'public' }],
    [[USER, 'new'], { usedAt: NOW_SECONDS, client: null, addressClass: null }],
  ]);
});
