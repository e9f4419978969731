import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, type ObjectStore, shortObject } from '../objects/object-store.ts';
import * as disk from './disk.ts';
import { diskCode } from './disk-fault.ts';
import {
  checked,
  type FileName,
  type FileStore,
  type IncomingFile,
  openFileStore,
  type StoredFile,
  type Unnamed,
} from './file-store.ts';
import * as images from './images.ts';
import { openObjectParts } from './object-parts.ts';
import { readObject } from './object-reads.ts';
import { refusingWhenAway } from './object-refusals.ts';
import { openSpool, type SpoolFile } from './spool.ts';

export interface ObjectFilesInput {
  readonly objects: ObjectStore;
  /** The folder of files that the realm has, or had, on this machine. */
  readonly folder: string;
  readonly realmId: number;
}

/** The folder, beside those of files, in which a file is until it is in the store. */
const SPOOL = 'spool';
/**
 * Names of files that are removed when nobody copies any more. Further ones are left to
 * `removeUnnamed`.
 */
const HELD_MAX = 100_000;

/** The object that says of which realm the files are. */
const MARK = 'realm';
const MARK_BYTES_MAX = 1024;

/** Returns the beginning of the keys of a realm's files. */
export const realmPrefix = (realmId: number): string => `realms/${realmId}/`;

/**
 * The bytes of a realm's files as objects that several machines share. A file comes to the disk of
 * this machine first, so that its size and its hash are known, and an image can be measured; it is
 * one object when it is kept. Files in the folder of the realm, as an import or a time without the
 * store left them, are read there until they have been moved.
 */
export function openObjectFileStore(input: ObjectFilesInput): FileStore {
  const { folder, realmId } = input;
  const objects = refusingWhenAway(input.objects);
  const prefix = realmPrefix(realmId);
  const keyOf = (name: FileName) => `${prefix}uploads/${pathOf(checked(name))}`;
  const spool = openSpool(join(folder, SPOOL));
  const local = openFileStore(folder);
  const held = openHeld((name) => removeNow(name));
  const parts = openObjectParts({
    objects,
    spool,
    prefix,
    keyOf,
    openWhole: (name) => store.open(name),
  });

  async function removeNow(name: FileName) {
    await objects.remove(keyOf(name));
    await parts.remove(name);
    await local.remove(name);
  }

  async function openObject(name: FileName): Promise<StoredFile | undefined> {
    const key = keyOf(name);
    const size = await objects.sizeOf(key);
    return size === undefined ? undefined : readObject(objects, key, size);
  }

  /** Does something with the bytes as a file of this machine. */
  async function withPath<Result>(name: FileName, use: (path: string) => Promise<Result>) {
    const own = spool.pathOf(name);
    if (own !== undefined) return await use(own);
    const stored = await store.open(name);
    if (stored === undefined) return undefined;
    const copy = await spool.create(name, { isNamed: false });
    try {
      await copyInto(copy, stored);
      return await use(copy.path);
    } finally {
      await stored.close();
      await copy.close();
    }
  }

  const store: FileStore = {
    async receive(name) {
      const key = keyOf(name);
      const file = await spool.create(name);
      return incomingObject(file, { put: () => objects.put(key, file.content()), name, removeNow });
    },
    goOn: (name, offset) => parts.goOn(checked(name), offset),
    sizeOf: (name) => parts.sizeOf(checked(name)),
    async open(name) {
      return (
        (await openObject(name)) ??
        (await local.open(name)) ??
        // It may have been moved to the store just now.
        (await openObject(name))
      );
    },
    measure: (name) => withPath(name, images.measure),
    async shrink(name, { to, isMoving }) {
      const bytes = await withPath(name, (path) => images.shrink(path, { isMoving }));
      if (bytes === undefined) return false;
      await objects.put(keyOf(to), contentOf(bytes));
      return true;
    },
    draw: images.draw,
    remove: held.remove,
    hold: held.hold,
    removeRemains(hasRow) {
      rmSync(join(folder, SPOOL), { recursive: true, force: true });
      local.removeRemains(hasRow);
    },
    async belongTo(mark) {
      const key = `${prefix}${MARK}`;
      if ((await objects.sizeOf(key)) === undefined) {
        await objects.put(key, contentOf(Buffer.from(mark)));
      }
      return (await shortObject(objects, key, MARK_BYTES_MAX)).toString() === mark;
    },
    removeUnnamed: (unnamed) => removeUnnamed({ objects, prefix }, unnamed),
    moveToStore: (options) => moveToStore({ local, folder, objects, keyOf, ...options }),
    copyFromStore: (isNamed) => copyFromStore({ local, objects, prefix }, isNamed),
    async removeAll() {
      for await (const { key } of objects.list(prefix)) await objects.remove(key);
    },
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return store;
}

const pathOf = ({ folder, file }: FileName) => `${folder}/${file}`;

interface Incoming {
  readonly put: () => Promise<void>;
  readonly name: FileName;
  readonly removeNow: (name: FileName) => Promise<void>;
}

function incomingObject(file: SpoolFile, { put, name, removeNow }: Incoming): IncomingFile {
  let isStored = false;
  let size = 0;
  return {
    async write(bytes) {
      await file.write(bytes, size);
      size += bytes.length;
    },
    async keep() {
      await put();
      isStored = true;
    },
    settle: file.close,
    async discard() {
      await file.close();
      // What cannot be removed now has no row, and goes with the next `removeUnnamed`.
      if (isStored) await removeNow(name).catch(() => undefined);
    },
  };
}

const COPIED_BYTES = 1024 * 1024;

async function copyInto(copy: SpoolFile, stored: StoredFile) {
  const room = Buffer.allocUnsafe(Math.min(COPIED_BYTES, stored.size));
  for (let position = 0; position < stored.size; ) {
    const bytes = await stored.read(room, position);
    if (bytes.length === 0) throw new Error('a file is shorter than it was');
    await copy.write(bytes, position);
    position += bytes.length;
  }
}

/** Removes files at once, or when nobody holds them any more. */
function openHeld(removeNow: (name: FileName) => Promise<void>) {
  const waiting = new Map<string, FileName>();
  let holders = 0;
  return {
    async remove(name: FileName) {
      checked(name);
      if (holders === 0) return await removeNow(name);
      if (waiting.size < HELD_MAX) waiting.set(pathOf(name), name);
    },
    hold() {
      holders += 1;
      let isHeld = true;
      return async () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders > 0) return;
        const names = [...waiting.values()];
        waiting.clear();
        // Their rows are gone, so what fails here goes with the next `removeUnnamed`.
        for (const name of names) await removeNow(name).catch(() => undefined);
      };
    },
  };
}

/** The key of a file, or of a part of one that is being uploaded. */
const FILE_KEY = /^(?:uploads\/([\w-]{2})\/([\w-]+)|parts\/([\w-]{2})([\w-]+)\/\d+)$/;

async function removeUnnamed(
  { objects, prefix }: { readonly objects: ObjectStore; readonly prefix: string },
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

interface Moving {
  readonly local: FileStore;
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly keyOf: (name: FileName) => string;
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
        await objects.put(keyOf(fileName), {
          bytes: stored.size,
          async *chunks({ start, end }) {
            for (let position = start; position < end; position += COPIED_BYTES) {
              const room = Buffer.allocUnsafe(Math.min(COPIED_BYTES, end - position));
              yield await stored.read(room, position);
            }
          },
        });
      } finally {
        await stored.close();
      }
      if (isCopy !== true) await disk.remove(join(folder, name, file));
      moved += 1;
    }
  }
  return moved;
}

interface Copying {
  readonly local: FileStore;
  readonly objects: ObjectStore;
  readonly prefix: string;
}

/** Copies files to the folder of the realm, except those that have come there before. */
async function copyFromStore(
  { local, objects, prefix }: Copying,
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
