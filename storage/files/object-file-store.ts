import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, type ObjectStore } from '../objects/object-store.ts';
import { contentOfFile } from './file-content.ts';
import {
  checked,
  type FileName,
  type FileStore,
  type IncomingFile,
  openFileStore,
  type StoredFile,
} from './file-store.ts';
import { openHolders } from './holders.ts';
import * as images from './images.ts';
import { objectKeeping } from './object-keeping.ts';
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

/** Returns the beginning of the keys of a realm's files. */
export const realmPrefix = (realmId: number): string => `realms/${realmId}/`;

/** Returns the key of a file of a realm. */
export const objectKey = (realmId: number, name: FileName): string =>
  `${realmPrefix(realmId)}uploads/${pathOf(checked(name))}`;

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
  const keyOf = (name: FileName) => objectKey(realmId, name);
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
    ...objectKeeping({ objects, prefix, keyOf, local, folder }),
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
      // An object that cannot be removed now has no row, and goes with the next `removeUnnamed`.
      if (isStored) await removeNow(name).catch(() => undefined);
    },
  };
}

async function copyInto(copy: SpoolFile, stored: StoredFile) {
  let position = 0;
  for await (const bytes of contentOfFile(stored).chunks({ start: 0, end: stored.size })) {
    await copy.write(bytes, position);
    position += bytes.length;
  }
}

/** Removes files at once, or when nobody holds them any more. */
function openHeld(removeNow: (name: FileName) => Promise<void>) {
  const waiting = new Map<string, FileName>();
  const { isHeld, hold } = openHolders(async () => {
    const names = [...waiting.values()];
    waiting.clear();
    // Their rows are gone, so what fails here goes with the next `removeUnnamed`.
    for (const name of names) await removeNow(name).catch(() => undefined);
  });
  return {
    hold,
    async remove(name: FileName) {
      checked(name);
      if (!isHeld()) return await removeNow(name);
      if (waiting.size < HELD_MAX) waiting.set(pathOf(name), name);
    },
  };
}
