import { expect, test } from 'vitest';
import { addUser, openTestStore } from '../support/actors/realm-store.ts';

test('a reader has an age once a commit follows what it sees, and until it is closed', async () => {
  const store = openTestStore();
  await store.write((tx) => addUser(tx, 1));
  const snapshot = store.snapshot();
  snapshot.reader.users.get([1]);
  // It holds nothing back while it sees what everybody sees.
  expect(store.oldestReaderMs(0)).toBe(0);

  await store.write((tx) => addUser(tx, 2));
  expect(store.oldestReaderMs(1_000)).toBe(0);
  const second = store.snapshot();
  await store.write((tx) => addUser(tx, 3));
  expect(store.oldestReaderMs(5_000)).toBe(4_000);
  expect(store.oldestReaderMs(9_000)).toBe(8_000);
  snapshot.close();
  expect(store.oldestReaderMs(10_000)).toBe(5_000);
  second.close();
  expect(store.oldestReaderMs(11_000)).toBe(0);
});

test('a clock that is put back makes nobody younger than new', async () => {
  const store = openTestStore();
  const snapshot = store.snapshot();
  await store.write((tx) => addUser(tx, 1));
  expect(store.oldestReaderMs(10_000)).toBe(0);
  expect(store.oldestReaderMs(4_000)).toBe(0);
  expect(store.oldestReaderMs(5_000)).toBe(1_000);
  snapshot.close();
});
