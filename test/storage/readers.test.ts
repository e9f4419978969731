import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

/** Reads a row of a store, and goes on seeing what it has seen until it is killed. */
const READING = `
import { open } from 'lmdb';
const env = open({ path: process.argv[1], readOnly: true, maxDbs: 200, overlappingSync: false });
const users = env.openDB({ name: 'users', encoding: 'msgpack', useRecords: false });
users.get([1], { transaction: env.useReadTransaction() });
process.stdout.write('reads');
setInterval(() => undefined, 1_000);
`;

test('what a killed process was reading is held back until its slot is freed', async () => {
  const store = openTestStore();
  await store.write((tx) => addUser(tx, 1));
  const child = spawn(process.execPath, ['--input-type=module', '-e', READING, store.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '../..'),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  for (const id of [2, 3]) await store.write((tx) => addUser(tx, id));
  expect(store.oldestReaderMs(0)).toBe(0);
  expect(store.oldestReaderMs(1_000)).toBe(1_000);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(store.oldestReaderMs(2_000)).toBe(2_000);
  store.forgetDeadReaders();
  expect(store.oldestReaderMs(3_000)).toBe(0);
});
