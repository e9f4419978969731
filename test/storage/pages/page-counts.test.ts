import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STORE_FILE } from '../../../storage/frozen-store.ts';
import { freePagesIn, openStorePages } from '../../../storage/pages/store-pages.ts';
import { addUser, openTestStore } from '../../support/actors/realm-store.ts';

test('pages are counted again after a commit, and not without one', async () => {
  const store = openTestStore();
  await store.write((tx) => addUser(tx, 1));
  const before = store.pageBytes();
  expect(store.pageBytes()).toBe(before);
  await store.write((tx) => {
    for (let id = 2; id <= 1_000; id++) addUser(tx, id, { fullName: 'x'.repeat(100) });
  });
  const after = store.pageBytes();
  expect(after.used).toBeGreaterThan(before.used + 100_000);
  expect(store.pageBytes()).toBe(after);
});

test('used and free pages are as many as a walk through the file finds', async () => {
  const store = openTestStore();
  await store.write((tx) => {
    for (let id = 1; id <= 5_000; id++) addUser(tx, id, { fullName: 'x'.repeat(100) });
  });
  await store.write((tx) => {
    for (let id = 1; id <= 4_000; id++) tx.users.remove([id]);
  });
  // A commit without much in it, so that the pages of the one before are free.
  await store.write((tx) => addUser(tx, 1));
  const { used, free } = store.pageBytes();
  const pages = openStorePages(join(store.path, STORE_FILE));
  const { lastPage, pageBytes, freeRoot } = pages.meta;
  let found = 0;
  for (const leaf of pages.leaves(freeRoot)) {
    for (const _ of freePagesIn(pages.value(leaf), lastPage)) found += 1;
  }
  pages.close();
  expect(found).toBeGreaterThan(100);
  expect({ free: free / pageBytes, all: (used + free) / pageBytes }).toEqual({
    free: found,
    all: lastPage + 1,
  });
});
