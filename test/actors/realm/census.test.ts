import { expect, test } from 'vitest';
import { openCensus } from '../../../actors/realm/census.ts';
import { KEY_USES_WRITTEN_MS } from '../../../src/domain/limits/credentials.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { testClock } from '../../support/test-clock.ts';

const SWEEPS_PER_SIZES = 6;
const STEP_PAUSE_MS = 100;
const DAY_MS = 86_400_000;

/** Opens the census of an empty realm. */
function opened() {
  const store = openTestStore();
  const clock = testClock();
  let isOpen = true;
  const census = openCensus({ store, clock, isActive: () => isOpen });
  return {
    ...{ store, clock, census },
    close() {
      isOpen = false;
    },
    sweep(times = 1) {
      for (let count = 0; count < times; count++) census.sweep();
    },
    /** Notes that a key was used so many days ago. */
    use(tx: RealmTransaction, userId: number, { days = 0, key = 'a' } = {}) {
      const usedAt = Math.floor((clock.now() - days * DAY_MS) / 1_000);
      tx.keyUses.put([userId, key], { usedAt, client: null, addressClass: null });
    },
  };
}

test('sizes are taken twice a minute, and asking for them reads nothing', async () => {
  const { store, census, sweep } = opened();
  const before = census.sizes();
  expect(before).toMatchObject({ uploadBytes: 0, messages: 0, messagesNotIndexed: 0 });
  expect(before.dataBytes).toBeGreaterThan(0);
  await store.write((tx) => {
    for (let id = 1; id <= 2_000; id++) addUser(tx, id);
    tx.uploadSpace.put(['space'], { bytes: 12_345, promised: 0 });
    for (let count = 0; count < 30; count++) tx.nextId('message');
    tx.searchProgress.put(['search'], {
      ...{ throughMessageId: 20, segments: [], merge: null, removed: [], restsUntil: 0 },
    });
  });
  sweep(SWEEPS_PER_SIZES - 1);
  expect(census.sizes()).toBe(before);
  sweep();
  expect(census.sizes()).toMatchObject({
    uploadBytes: 12_345,
    messages: 30,
    messagesNotIndexed: 10,
  });
  expect(census.sizes().dataBytes).toBeGreaterThan(before.dataBytes + 100_000);
});

test('people count as active by their latest use of any key; bots and closed accounts do not', async () => {
  const { store, census, sweep, use } = opened();
  await store.write((tx) => {
    addUser(tx, 1);
    use(tx, 1, { days: 40, key: 'a' });
    use(tx, 1, { days: 0.5, key: 'b' });
    use(tx, 1, { days: 20, key: 'c' });
    addUser(tx, 2);
    use(tx, 2, { days: 3 });
    addUser(tx, 3);
    use(tx, 3, { days: 29.9 });
    addUser(tx, 4);
    use(tx, 4, { days: 31 });
    addUser(tx, 5, { botType: 1 });
    use(tx, 5);
    addUser(tx, 6, { isActive: false });
    use(tx, 6);
  });
  expect(census.usersActive()).toEqual({ '1d': 0, '7d': 0, '30d': 0 });
  sweep();
  expect(census.usersActive()).toEqual({ '1d': 1, '7d': 2, '30d': 3 });
});

test('they are counted each hour, in steps, and not after the realm has ended', async () => {
  const { store, clock, census, sweep, use, close } = opened();
  const people = 1_200;
  await store.write((tx) => {
    for (let id = 1; id <= people; id++) {
      addUser(tx, id);
      use(tx, id);
    }
  });
  sweep();
  // A part of the count is never shown.
  expect(census.usersActive()['1d']).toBe(0);
  clock.advance(STEP_PAUSE_MS);
  expect(census.usersActive()['1d']).toBe(0);
  clock.advance(STEP_PAUSE_MS);
  expect(census.usersActive()['1d']).toBe(people);

  await store.write((tx) => {
    addUser(tx, people + 1);
    use(tx, people + 1);
  });
  clock.leap(KEY_USES_WRITTEN_MS - 10_000);
  sweep();
  clock.advance(3_000);
  expect(census.usersActive()['1d']).toBe(people);
  clock.leap(10_000);
  sweep();
  clock.advance(3_000);
  expect(census.usersActive()['1d']).toBe(people + 1);

  clock.leap(KEY_USES_WRITTEN_MS);
  sweep();
  close();
  await store.close();
  clock.advance(3_000);
  expect(census.usersActive()['1d']).toBe(people + 1);
});

test('a reader is seen between two scrapes', async () => {
  const { store, clock, census, sweep } = opened();
  const snapshot = store.snapshot();
  await store.write((tx) => addUser(tx, 1));
  sweep(SWEEPS_PER_SIZES);
  clock.leap(400_000);
  expect(census.oldestReaderMs()).toBe(400_000);
  snapshot.close();
  expect(census.oldestReaderMs()).toBe(0);
});
