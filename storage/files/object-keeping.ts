import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, type ObjectStore, shortObject } from '../objects/object-store.ts';
import * as disk from './disk.ts';
import { diskCode } from './disk-fault.ts';
import { contentOfFile } from './file-content.ts';
import { checked, type FileName, type FileStore, type Unnamed } from './file-store.ts';

interface KeepingInput {
  readonly objects: ObjectStore;
  /** The keys of the realm's files begin with this. */
  readonly prefix: string;
  readonly keyOf: (name: FileName) => string;
  /** The files in the folder of the realm. */
  readonly local: FileStore;
  readonly folder: string;
}

type Keeping = Pick<
  FileStore,
  'belongTo' | 'removeUnnamed' | 'moveToStore' | 'copyFromStore' | 'removeAll'
>;

/** Does with all files of a realm what its owner and operators ask for. */
export const objectKeeping = (input: KeepingInput): Keeping => ({
  belongTo: (mark) => belongTo(input, mark),
  removeUnnamed: (unnamed) => removeUnnamed(input, unnamed),
  moveToStore: (options) => moveToStore({ ...input, ...options }),
  copyFromStore: (isNamed) => copyFromStore(input, isNamed),
  async removeAll() {
    const { objects, prefix } = input;
    for await (const { key } of objects.list(prefix)) await objects.remove(key);
  },
});

/** The object that says of which realm the files are. */
const MARK = 'realm';
const MARK_BYTES_MAX = 1024;

async function belongTo({ objects, prefix }: KeepingInput, mark: string): Promise<boolean> {
  const key = `${prefix}${MARK}`;
  if ((await objects.sizeOf(key)) === undefined) {
    await objects.put(key, contentOf(Buffer.from(mark)));
  }
  return (await shortObject(objects, key, MARK_BYTES_MAX)).toString() === mark;
}

/** The key of a file, or of a part of one that is being uploaded. */
const FILE_KEY = /^(?:uploads\/([\w-]{2})\/([\w-]+)|parts\/([\w-]{2})([\w-]+)\/\d+)$/;

async function removeUnnamed(
  { objects, prefix }: KeepingInput,
  { storedBefore, isNamed }: Unnamed,
): Promise<number> {
  let removed = 0;
  for await (const { key, storedAt } of objects.list(prefix)) {
    const [, folder, file, folderOfPart, fileOfPart] =
      FILE_KEY.exec(key.slice(prefix.length)) ?? [];
    const name = {
      folder: folder ?? folderOfPart ?? '',
      file: file ?? fileOfPart ?? '',
    };
    // An object of another kind, or of an unknown age, is somebody else's.
    if (name.file === '' || !(storedAt < storedBefore)) continue;
    if (isNamed(name, { isPart: file === undefined })) continue;
    await objects.remove(key);
    removed += 1;
  }
  return removed;
}

interface Moving extends KeepingInput {
  readonly isCopy?: boolean;
}

/** Moves the files that are in the folder of the realm: each is stored before it is removed. */
async function moveToStore({ local, folder, objects, keyOf, isCopy }: Moving): Promise<number> {
  let moved = 0;
  for (const name of namesIn(folder)) {
    for (const file of await readdir(join(folder, name))) {
      const fileName = { folder: name, file };
      if (!isName(fileName)) continue;
      const stored = await local.open(fileName);
      if (stored === undefined) continue;
      try {
        await objects.put(keyOf(fileName), contentOfFile(stored));
      } finally {
        await stored.close();
      }
      if (isCopy !== true) await disk.remove(join(folder, name, file));
      moved += 1;
    }
  }
  return moved;
}

/** Copies files to the folder of the realm, except those that have come there before. */
async function copyFromStore(
  { local, objects, prefix }: KeepingInput,
  isNamed: Unnamed['isNamed'],
): Promise<number> {
  let copied = 0;
  for await (const { key, bytes } of objects.list(`${prefix}uploads/`)) {
    const [, folder = '', file = ''] = FILE_KEY.exec(key.slice(prefix.length)) ?? [];
    const name = { folder, file };
    if (file === '' || !isNamed(name, { isPart: false })) continue;
    copied += 1;
    const known = await local.open(name);
    await known?.close();
    if (known?.size === bytes) continue;
    await local.remove(name);
    const incoming = await local.receive(name);
    try {
      for await (const chunk of objects.chunks(key)) await incoming.write(chunk);
      await incoming.keep();
      await incoming.settle();
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  }
  return copied;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[\w-]{2}$/.test(name));
  } catch (error) {
    if (diskCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function isName(name: FileName): boolean {
  try {
    checked(name);
    return true;
  } catch {
    return false;
  }
}
