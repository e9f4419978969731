import { constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFull } from '../../src/domain/wire/errors.ts';
import * as disk from './disk.ts';
import { isOutOfSpace } from './disk-fault.ts';
import * as images from './images.ts';

/**
 * The bytes of a realm's files, in a folder beside its tables. A row says that there is a file, so a file comes before its
 * row and goes after it. Names are the server's own; none is made of what a client sent.
 */
export interface FileStore {
  /** Begins a file, which nobody can reach until it is kept. */
  receive(name: FileName): Promise<IncomingFile>;
  /**
   * Goes on with a file that comes in parts, from `offset` on; what is behind it goes. Nobody can reach the file either, as
   * long as no row of a file says that it is there.
   */
  goOn(name: FileName, offset: number): Promise<PartialFile>;
  /** Bytes of it, none when it is not there. */
  sizeOf(name: FileName): Promise<number>;
  /** Undefined when there is none. */
  open(name: FileName): Promise<StoredFile | undefined>;
  /** Undefined for a file that is no image. */
  measure(name: FileName): Promise<images.ImageSize | undefined>;
  /** Makes a small image of one, as a file of its own; false when it cannot be decoded. */
  shrink(name: FileName, small: { to: FileName; isMoving: boolean }): Promise<boolean>;
  /** Draws an uploaded image anew, in memory; undefined for what is none. */
  draw: typeof images.draw;
  /** It may be gone already. */
  remove(name: FileName): Promise<void>;
  /** Until what is returned is called, files that are removed can still be opened. For who copies what rows name. */
  hold(): () => Promise<void>;
  /** Removes what a server that was killed had begun; only before this one takes files. */
  removeRemains(hasRow: (name: FileName) => boolean): void;
}

/** Two and more letters, digits, `-` or `_`: folder and file. */
export interface FileName {
  readonly folder: string;
  readonly file: string;
}

export interface IncomingFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Brings it to its place; it is on disk when this resolves. Its row may be written now. */
  keep(): Promise<void>;
  /** Its row is on disk as well. */
  settle(): Promise<void>;
  /** There will be no row; whatever there is of it goes. */
  discard(): Promise<void>;
}

export interface PartialFile {
  /** Returns the next offset, which is before `offset` if the disk has lost some bytes. */
  readonly start: number;
  write(bytes: Uint8Array): Promise<void>;
  /** All that was written is on disk when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /** Fills these bytes from a position on; gives those it filled, fewer only at the end of the file. */
  read(into: Buffer, position: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Of files without a row: a name here says that there may be one of that name in its place. */
const INCOMING = 'incoming';
/** Of files that were removed while somebody copies: they go when that is done, or at the next start. */
const HELD = 'held';
const NAME = /^([\w-]{2})([\w-]{10,100})$/;

export function openFileStore(root: string): FileStore {
  const folders = disk.openFolders(root);
  const incoming = join(root, INCOMING);
  const held = openHeldFiles(join(root, HELD));
  const placeOf = (name: FileName) => {
    const { folder, file } = checked(name);
    return { folder: join(root, folder), path: join(root, folder, file) };
  };

  const store: FileStore = {
    async receive(name) {
      const place = placeOf(name);
      const aside = join(incoming, `${name.folder}${name.file}`);
      const opened = folders.within(incoming, () => disk.open(aside, 'wx', 0o600));
      const file = await spaceTaken(opened);
      return incomingFile(file, {
        aside,
        place,
        name: () => folders.within(place.folder, () => disk.link(aside, place.path)),
      });
    },
    async goOn(name, offset) {
      const place = placeOf(name);
      const open = () => disk.open(place.path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const file = await spaceTaken(folders.within(place.folder, open));
      return await partialFile(file, { place, offset });
    },
    async sizeOf(name) {
      const file = await store.open(name);
      await file?.close();
      return file?.size ?? 0;
    },
    async open(name) {
      const { path } = placeOf(name);
      const file = (await disk.openIfThere(path)) ?? (await held.open(name));
      return file === undefined ? undefined : storedFile(file);
    },
    measure: (name) => images.measure(placeOf(name).path),
    async shrink(name, { to, isMoving }) {
      const bytes = await images.shrink(placeOf(name).path, { isMoving });
      if (bytes === undefined) return false;
      const incoming = await store.receive(to);
      try {
        await incoming.write(bytes);
        await incoming.keep();
        await incoming.settle();
      } catch (error) {
        await incoming.discard();
        throw error;
      }
      return true;
    },
    draw: images.draw,
    remove: (name) => held.remove(name, placeOf(name).path),
    hold: held.hold,
    removeRemains(hasRow) {
      rmSync(join(root, HELD), { recursive: true, force: true });
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      for (const entry of readdirSync(incoming)) {
        const [, folder, file] = NAME.exec(entry) ?? [];
        if (folder === undefined || file === undefined) continue;
        const name = { folder, file };
        if (!hasRow(name)) rmSync(placeOf(name).path, { force: true });
        rmSync(join(incoming, entry), { force: true });
      }
    },
  };
  return store;
}

/** Removes files at once, or sets them aside while somebody holds them. */
function openHeldFiles(folder: string) {
  const folders = disk.openFolders(folder);
  const pathOf = ({ folder: start, file }: FileName) => join(folder, `${start}${file}`);
  let holders = 0;
  return {
    open: (name: FileName) =>
      holders === 0 ? Promise.resolve(undefined) : disk.openIfThere(pathOf(name)),
    async remove(name: FileName, path: string) {
      if (holders === 0) return await disk.remove(path);
      await folders.within(folder, () => disk.moveIfThere(path, pathOf(name)));
    },
    hold() {
      holders += 1;
      let isHeld = true;
      return async () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders === 0) await rm(folder, { recursive: true, force: true });
      };
    },
  };
}

/** A disk that is full all of a sudden refuses like one that was known to be nearly so. */
const spaceTaken = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw isOutOfSpace(error) ? storageFull() : error;
  });

interface Place {
  readonly folder: string;
  readonly path: string;
}

interface Incoming {
  readonly aside: string;
  readonly place: Place;
  /** Brings it to its place as well. */
  readonly name: () => Promise<void>;
}

/** While it has no row it keeps the name that says so, besides the one that it is found by. */
function incomingFile(file: number, { aside, place, name }: Incoming): IncomingFile {
  let isOpen = true;
  let isNamed = false;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await disk.close(file);
  };
  return {
    write: (bytes) => spaceTaken(disk.write(file, bytes, null)),
    async keep() {
      await spaceTaken(name());
      isNamed = true;
      await spaceTaken(disk.syncWithFolder(file, place.folder));
      await close();
    },
    // Should the name stay, the next start finds the row and removes it.
    settle: () => disk.remove(aside).catch(() => undefined),
    async discard() {
      await close();
      if (isNamed) await disk.remove(place.path);
      await disk.remove(aside);
    },
  };
}

async function partialFile(
  file: number,
  { place, offset }: { place: Place; offset: number },
): Promise<PartialFile> {
  let end: number;
  try {
    const size = disk.sizeOf(file);
    end = Math.min(size, offset);
    if (size > end) await disk.truncate(file, end);
  } catch (error) {
    await disk.close(file);
    throw error;
  }
  // Nobody was told of bytes before the name of the file was on disk as well.
  let isNamed = end > 0;
  return {
    start: end,
    async write(bytes) {
      await spaceTaken(disk.write(file, bytes, end));
      end += bytes.length;
    },
    async sync() {
      const synced = isNamed ? disk.sync(file) : disk.syncWithFolder(file, place.folder);
      await spaceTaken(synced);
      isNamed = true;
    },
    close: () => disk.close(file),
  };
}

function storedFile(file: number): StoredFile {
  return {
    size: disk.sizeOf(file),
    read: (into, position) => disk.read(file, into, position),
    close: () => disk.close(file),
  };
}

/** A name leads nowhere but into the folder of files. */
function checked(name: FileName): FileName {
  if (!NAME.test(`${name.folder}${name.file}`) || name.folder.length !== 2) {
    throw new Error(`${name.folder}/${name.file} is no name of a file`);
  }
  return name;
}
