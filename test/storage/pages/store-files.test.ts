import { closeSync, mkdirSync, openSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readyStoreFiles } from '../../../storage/pages/store-files.ts';
import { openRealmStore } from '../../../storage/store.ts';
import { canMount, mountSmallDisk } from '../../support/files/small-disk.ts';
import { temporaryFolder } from '../../support/scratch.ts';

test('a lock file that is missing or too short is made, and one that is in use is left alone', async () => {
  const folder = join(temporaryFolder(), 'store');
  readyStoreFiles(folder);
  expect(statSync(join(folder, 'lock.mdb')).size).toBeGreaterThan(8_192);
  const store = openRealmStore(folder);
  const used = statSync(join(folder, 'lock.mdb'));
  readyStoreFiles(folder);
  expect(statSync(join(folder, 'lock.mdb'))).toMatchObject({
    size: used.size,
    mtimeMs: used.mtimeMs,
  });
  await store.close();
  truncateSync(join(folder, 'lock.mdb'), 100);
  await openRealmStore(folder).close();
});

test.each(['lock.mdb', 'data.mdb'])('a folder in the place of %s is told', (name) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, name));
  expect(() => openRealmStore(folder)).toThrow(`${join(folder, name)} is no file`);
});

test.runIf(canMount)('a lock file that has no room is told, and what is read-only', async () => {
  const disk = mountSmallDisk(4);
  await openRealmStore(join(disk.path, 'one')).close();
  disk.fill(0);
  expect(() => openRealmStore(join(disk.path, 'two'))).toThrow(/ENOSPC/);
  disk.empty();
  disk.makeReadOnly();
  expect(() => openRealmStore(join(disk.path, 'one'))).toThrow(/EROFS/);
});

test.runIf(process.platform === 'linux')('that no file descriptor is left is told', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock.mdb'), Buffer.alloc(12_288));
  const taken: number[] = [];
  try {
    expect(() => {
      for (;;) taken.push(openSync(folder, 'r'));
    }).toThrow(/EMFILE/);
    const [last = -1] = taken.splice(-1);
    closeSync(last);
    expect(() => readyStoreFiles(folder)).toThrow(/EMFILE/);
  } finally {
    taken.forEach((file) => void closeSync(file));
  }
});

test.runIf(canMount)(
  'a commit that finds no room says so, also where a part of it was written',
  async () => {
    const disk = mountSmallDisk(8);
    const store = openRealmStore(join(disk.path, 'store'));
    disk.fill(300_000);
    const write = (id: number) =>
      store.commit(
        () => [(tx) => tx.botStorage.put([1, String(id)], { value: 'x'.repeat(90_000) })],
        Date.now,
      );
    const fault = await (async () => {
      for (let id = 1; id < 100; id++) await write(id);
    })().catch((error: unknown) => error);
    await store.close();
    expect(fault).toMatchObject({ code: 'ENOSPC' });
    expect((fault as Error).message).toMatch(/no space is left on the disk/);
  },
);
