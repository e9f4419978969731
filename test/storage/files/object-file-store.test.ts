import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../../storage/files/file-store.ts';
import { openObjectFileStore } from '../../../storage/files/object-file-store.ts';
import { expectFileStore } from '../../support/files/file-store-contract.ts';
import { type MemoryObjects, memoryObjects } from '../../support/files/memory-objects.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const NAME = { folder: 'ab', file: 'x'.repeat(24) };
const KEY = `realms/7/uploads/ab/${NAME.file}`;
const PARTS = `realms/7/parts/ab${NAME.file}`;

describe('in a folder', () => expectFileStore(() => openFileStore(temporaryFolder())));
describe('in an object store', () => expectFileStore(() => filesOver(memoryObjects()).files));

test('a file is one object, and nothing of it stays on this machine', async () => {
  const objects = memoryObjects();
  const { files, folder } = filesOver(objects);
  await keep(files, 'hello');
  expect([...objects.objects.keys()]).toEqual([KEY]);
  expect(filesIn(folder)).toEqual([]);
});

test('a store that is away is a refusal with 503, and nothing has changed', async () => {
  const objects = memoryObjects();
  const { files, folder } = filesOver(objects);
  await keep(files, 'hello');
  objects.isAway = true;
  const away = expect.objectContaining({ code: 'FILES_AWAY', status: 503 });
  const other = { folder: 'cd', file: 'y'.repeat(24) };
  const incoming = await files.receive(other);
  await incoming.write(Buffer.from('hello'));
  await expect(incoming.keep()).rejects.toEqual(away);
  await incoming.discard();
  await expect(files.open(NAME)).rejects.toEqual(away);
  await expect(files.sizeOf(NAME)).rejects.toEqual(away);
  await expect(files.remove(NAME)).rejects.toEqual(away);
  await expect(files.goOn(other, 0)).rejects.toEqual(away);
  await expect(files.measure(NAME)).rejects.toEqual(away);
  await expect(files.shrink(NAME, { to: other, isMoving: false })).rejects.toEqual(away);
  objects.isAway = false;
  expect([...objects.objects.keys()]).toEqual([KEY]);
  expect(filesIn(folder)).toEqual([]);
  expect(await files.sizeOf(NAME)).toBe(5);
});

test('a file that was open is a refusal when the store goes away, and can be read again', async () => {
  const objects = memoryObjects();
  const { files } = filesOver(objects);
  await keep(files, 'hello');
  const stored = await files.open(NAME);
  objects.isAway = true;
  await expect(stored?.read(Buffer.alloc(5), 0)).rejects.toMatchObject({ code: 'FILES_AWAY' });
  objects.isAway = false;
  expect(String(await stored?.read(Buffer.alloc(5), 0))).toBe('hello');
  await stored?.close();
});

test('a part that was not stored is not counted, and the upload goes on from the one before', async () => {
  const objects = memoryObjects();
  const { files } = filesOver(objects);
  const part = await files.goOn(NAME, 0);
  await part.write(Buffer.from('abc'));
  await part.sync();
  objects.isAway = true;
  await part.write(Buffer.from('def'));
  await expect(part.sync()).rejects.toMatchObject({ code: 'FILES_AWAY' });
  await part.close();
  objects.isAway = false;
  expect(await files.sizeOf(NAME)).toBe(3);
  const next = await files.goOn(NAME, 6);
  expect(next.start).toBe(3);
  await next.close();
});

test('another machine goes on with a file that comes in parts', async () => {
  const objects = memoryObjects();
  const first = await filesOver(objects).files.goOn(NAME, 0);
  await first.write(Buffer.from('abc'));
  await first.sync();
  const { files } = filesOver(objects);
  const second = await files.goOn(NAME, 3);
  await second.write(Buffer.from('def'));
  await second.sync();
  await second.keep();
  expect([...objects.objects.keys()].sort()).toEqual([
    `${PARTS}/000000000000000`,
    `${PARTS}/000000000000003`,
    KEY,
  ]);
  await second.settle();
  expect([...objects.objects.keys()]).toEqual([KEY]);
  expect(String(objects.objects.get(KEY)?.bytes)).toBe('abcdef');
});

test('a kill while parts are cut off, at any request, leaves the beginning of the file', async () => {
  for (let requests = 0; requests < 20; requests++) {
    const objects = memoryObjects();
    const { files } = filesOver(objects);
    for (const at of [0, 3, 6]) {
      const part = await files.goOn(NAME, at);
      await part.write(Buffer.from('abcdefghi'.slice(at, at + 3)));
      await part.sync();
      await part.close();
    }
    objects.isAway = requests;
    const cutting = await files.goOn(NAME, 4).catch(() => undefined);
    objects.isAway = false;
    if (cutting !== undefined) {
      expect(requests).toBeGreaterThan(2);
      expect(await files.sizeOf(NAME)).toBe(4);
      return;
    }
    expect(await files.sizeOf(NAME)).toBeGreaterThanOrEqual(4);
    const next = await filesOver(objects).files.goOn(NAME, 4);
    expect(next.start).toBe(4);
    await next.keep();
    expect(String(objects.objects.get(KEY)?.bytes)).toBe('abcd');
  }
  expect.fail('cutting takes so many requests');
});

test('a file in the folder of the realm is read there until it has been moved', async () => {
  const objects = memoryObjects();
  const { files, folder } = filesOver(objects);
  await keep(openFileStore(folder), 'hello');
  writeFileSync(join(folder, 'README'), '');
  mkdirSync(join(folder, 'cd'));
  writeFileSync(join(folder, 'cd', 'no name'), '');
  expect(await files.sizeOf(NAME)).toBe(5);
  objects.isAway = 0;
  await expect(files.moveToStore()).rejects.toMatchObject({ code: 'FILES_AWAY' });
  expect(filesIn(folder)).toContain(`ab/${NAME.file}`);
  objects.isAway = false;
  expect(await files.moveToStore()).toBe(1);
  expect(filesIn(folder)).toEqual(['README', 'cd/no name']);
  expect([...objects.objects.keys()]).toEqual([KEY]);
  expect(await files.sizeOf(NAME)).toBe(5);
  expect(await files.moveToStore()).toBe(0);
});

test('a file that is removed before it was moved is gone', async () => {
  const { files, folder } = filesOver(memoryObjects());
  await keep(openFileStore(folder), 'hello');
  await files.remove(NAME);
  expect(await files.open(NAME)).toBe(undefined);
  expect(await files.moveToStore()).toBe(0);
});

test('what no row names goes a day after it was stored, and nothing else does', async () => {
  const objects = memoryObjects();
  const { files } = filesOver(objects);
  const { files: other } = filesOver(objects, 77);
  const named = { folder: 'cd', file: 'y'.repeat(24) };
  await keep(files, 'old');
  await keep(files, 'named', named);
  await keep(other, 'of another realm');
  const part = await files.goOn({ folder: 'ef', file: 'z'.repeat(24) }, 0);
  await part.write(Buffer.from('a part'));
  await part.sync();
  await part.close();
  objects.objects.set('realms/7/unknown', { bytes: Buffer.alloc(1), storedAt: 0 });
  const storedBefore = objects.now + 1;
  objects.now += 1;
  await keep(files, 'new', { folder: 'gh', file: 'w'.repeat(24) });
  const asked: unknown[] = [];
  const removed = await files.removeUnnamed({
    storedBefore,
    isNamed(name, kind) {
      asked.push([`${name.folder}${name.file}`, kind.isPart]);
      return name.file === named.file;
    },
  });
  expect(removed).toBe(2);
  expect(asked).toEqual([
    [`ef${'z'.repeat(24)}`, true],
    [`ab${NAME.file}`, false],
    [`cd${named.file}`, false],
  ]);
  expect([...objects.objects.keys()].sort()).toEqual([
    'realms/7/unknown',
    `realms/7/uploads/cd/${named.file}`,
    `realms/7/uploads/gh/${'w'.repeat(24)}`,
    `realms/77/uploads/ab/${NAME.file}`,
  ]);
  await files.removeAll();
  expect([...objects.objects.keys()]).toEqual([`realms/77/uploads/ab/${NAME.file}`]);
});

test('files of another realm with the same number are told apart', async () => {
  const objects = memoryObjects();
  const { files } = filesOver(objects);
  expect(await files.belongTo('realm 7 of 1')).toBe(true);
  expect(await filesOver(objects).files.belongTo('realm 7 of 1')).toBe(true);
  expect(await filesOver(objects).files.belongTo('realm 7 of 2')).toBe(false);
  expect(await filesOver(objects, 8).files.belongTo('realm 8 of 2')).toBe(true);
  const long = { bytes: Buffer.alloc(2_000), storedAt: 0 };
  objects.objects.set('realms/7/realm', long);
  await expect(files.belongTo('realm 7 of 1')).rejects.toThrow('more than 1024 bytes');
});

test('files come back to the folder of a realm, and those that are there are left', async () => {
  const objects = memoryObjects();
  const { files, folder } = filesOver(objects);
  const named = { folder: 'cd', file: 'y'.repeat(24) };
  await keep(files, 'hello');
  await keep(files, 'named', named);
  await keep(files, 'unnamed', { folder: 'ef', file: 'z'.repeat(24) });
  const isNamed = ({ file }: { readonly file: string }) => !file.startsWith('z');
  expect(await files.copyFromStore(isNamed)).toBe(2);
  objects.calls.length = 0;
  writeFileSync(join(folder, 'cd', named.file), 'torn');
  expect(await files.copyFromStore(isNamed)).toBe(2);
  expect(objects.calls.filter((call) => call.startsWith('get'))).toHaveLength(1);
  expect(filesIn(folder)).toEqual([`ab/${NAME.file}`, `cd/${named.file}`]);
  const local = openFileStore(folder);
  expect(await local.sizeOf(named)).toBe(5);
});

test('a start removes what a killed server was receiving, and nothing of the store', async () => {
  const objects = memoryObjects();
  const { files, folder } = filesOver(objects);
  await keep(files, 'hello');
  const incoming = await files.receive({ folder: 'cd', file: 'y'.repeat(24) });
  await incoming.write(Buffer.from('begun'));
  expect(readdirSync(join(folder, 'spool'))).toHaveLength(1);
  filesOver(objects, 7, folder).files.removeRemains(() => false);
  expect(filesIn(folder)).toEqual([]);
  expect([...objects.objects.keys()]).toEqual([KEY]);
});

test('readers who go on get a megabyte at once, and others what they ask for', async () => {
  const objects = memoryObjects();
  const { files } = filesOver(objects);
  await keep(files, 'x'.repeat(3_000_000));
  objects.calls.length = 0;
  const stored = await files.open(NAME);
  for (let at = 0; at < 3_000_000; at += 100_000) await stored?.read(Buffer.alloc(100_000), at);
  // The size, the first piece, and three times a megabyte.
  expect(objects.calls).toHaveLength(5);
  await stored?.close();
});

function filesOver(objects: MemoryObjects, realmId = 7, folder = temporaryFolder()) {
  return { folder, files: openObjectFileStore({ objects, folder, realmId }) };
}

async function keep(files: ReturnType<typeof openFileStore>, content: string, name = NAME) {
  const incoming = await files.receive(name);
  await incoming.write(Buffer.from(content));
  await incoming.keep();
  await incoming.settle();
}

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort();
