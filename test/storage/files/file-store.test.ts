import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileStore } from '../../../storage/files/file-store.ts';
import { canMount, mountSmallDisk } from '../../support/files/small-disk.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const NAME = { folder: 'ab', file: 'x'.repeat(24) };

// All stores of files keep to what `object-file-store.test.ts` runs; this is about the folders.

test('folders that somebody removed, being empty, are made again', async () => {
  const root = temporaryFolder();
  const files = openFileStore(root);
  await (await files.receive(NAME)).discard();
  rmSync(root, { recursive: true });
  const incoming = await files.receive(NAME);
  await incoming.write(Buffer.from('hello'));
  rmSync(join(root, NAME.folder), { recursive: true, force: true });
  await incoming.keep();
  await incoming.settle();
  rmSync(join(root, 'incoming'), { recursive: true });
  const part = await files.goOn({ ...NAME, file: 'y'.repeat(24) }, 0);
  await part.write(Buffer.from('lo'));
  await part.sync();
  await part.close();
  expect(filesIn(root)).toEqual([`ab/${NAME.file}`, `ab/${'y'.repeat(24)}`]);
});

test('a file that cannot be brought to its place is not kept, and what is there stays', async () => {
  const root = temporaryFolder();
  const files = openFileStore(root);
  const first = await files.receive(NAME);
  await first.write(Buffer.from('hello'));
  await first.keep();
  await first.settle();
  const second = await files.receive(NAME);
  await expect(second.keep()).rejects.toThrow(/EEXIST/);
  await second.discard();
  expect(filesIn(root)).toEqual([`ab/${NAME.file}`]);
});

test.each(['received', 'kept'] as const)(
  'a file that was %s and is discarded leaves nothing',
  async (how) => {
    const root = temporaryFolder();
    const files = openFileStore(root);
    const incoming = await files.receive(NAME);
    if (how === 'kept') await incoming.keep();
    await incoming.discard();
    expect(filesIn(root)).toEqual([]);
  },
);

test('what a kill left is cleared, but not what has a row, nor what somebody else put there', async () => {
  const root = temporaryFolder();
  const files = openFileStore(root);
  const names = ['a', 'b', 'c'].map((letter) => ({ folder: 'ab', file: letter.repeat(24) }));
  const [begun, kept, committed] = names;
  if (begun === undefined || kept === undefined || committed === undefined) return expect.fail();
  await (await files.receive(kept)).keep();
  await (await files.receive(committed)).keep();
  writeFileSync(join(root, 'incoming', `ab${begun.file}`), 'hel');
  writeFileSync(join(root, 'incoming', 'README'), '');
  mkdirSync(join(root, 'incoming', 'folder'));
  files.removeRemains(({ file }) => file === committed.file);
  expect(filesIn(root)).toEqual([`ab/${committed.file}`, 'incoming/README']);
});

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort();

test('a file that is removed while somebody holds files can be opened until that is over', async () => {
  const root = temporaryFolder();
  const files = openFileStore(root);
  const incoming = await files.receive(NAME);
  await incoming.write(Buffer.from('hello'));
  await incoming.keep();
  await incoming.settle();
  const releases = [files.hold(), files.hold()];
  await files.remove(NAME);
  await files.remove(NAME);
  expect(readdirSync(join(root, NAME.folder))).toEqual([]);
  for (const release of releases) {
    const stored = await files.open(NAME);
    expect(stored?.size).toBe(5);
    await stored?.close();
    await release();
  }
  expect(await files.open(NAME)).toBe(undefined);
  expect(readdirSync(root).sort()).toEqual(['ab', 'incoming']);
});

test('what was held when the server was killed goes at the next start', async () => {
  const root = temporaryFolder();
  const files = openFileStore(root);
  const incoming = await files.receive(NAME);
  await incoming.keep();
  await incoming.settle();
  files.hold();
  await files.remove(NAME);
  openFileStore(root).removeRemains(() => false);
  expect(readdirSync(root).sort()).toEqual(['ab', 'incoming']);
});

test.runIf(canMount)(
  'where the disk has no room for another folder, a file is refused',
  async () => {
    const disk = mountSmallDisk(4, 20);
    const files = openFileStore(join(disk.path, 'uploads'));
    const refusals: unknown[] = [];
    for (let kept = 0; kept < 20; kept++) {
      const name = { folder: `a${String.fromCharCode(97 + kept)}`, file: 'x'.repeat(24) };
      try {
        const incoming = await files.receive(name);
        await incoming.keep().catch(async (error: unknown) => {
          await incoming.discard();
          throw error;
        });
        await incoming.settle();
      } catch (error) {
        refusals.push(error);
      }
    }
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'STORAGE_FULL' });
  },
);
