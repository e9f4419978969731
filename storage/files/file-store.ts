import { constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFull } from '../../src/domain/wire/errors.ts';
import * as disk from './disk.ts';
import { isOutOfSpace } from './disk-fault.ts';
import { openHolders } from './holders.ts';
import * as images from './images.ts';

/**
 * The bytes of a realm's files, in a folder beside its tables. A row says that there is a file, so
 * a file is written before its row and removed after it. The server makes up all names; none
 * contains anything that a client sent.
 */
export interface FileStore {
  /** Begins a file, which nobody can reach until it is kept. */
  receive(name: FileName): Promise<IncomingFile>;
  /**
   * Goes on with a file that comes in parts, from `offset` on; bytes behind it are cut off. Nobody
   * can reach this file either, as long as no row of a file says that it is there.
   */
  goOn(name: FileName, offset: number): Promise<PartialFile>;
  /** Returns its size in bytes, 0 if it is not there. */
  sizeOf(name: FileName): Promise<number>;
  /** Returns undefined if there is none. */
  open(name: FileName): Promise<StoredFile | undefined>;
  /** Returns undefined for a file that is no image. */
  measure(name: FileName): Promise<images.ImageSize | undefined>;
  /** Makes a small image of one, as a file of its own. Returns false if it cannot be decoded. */
  shrink(name: FileName, small: { to: FileName; isMoving: boolean }): Promise<boolean>;
  /** Draws an uploaded image again in memory; returns undefined for bytes that are no image. */
  draw: typeof images.draw;
  /** Removes a file, which may be gone already. */
  remove(name: FileName): Promise<void>;
  /**
   * Keeps removed files open to readers until the returned function is called. A backup holds files
   * so that it can copy every file that its rows name.
   */
  hold(): () => Promise<void>;
  /** Removes the files that a killed server had begun. Runs only before this server takes files. */
  removeRemains(hasRow: (name: FileName) => boolean): void;
  /**
   * Removes files that several machines share and that no row names, if they were stored long ago;
   * another machine may be about to write the row of a newer one. Returns how many it removed. Does
   * nothing in a folder of one machine, where `removeRemains` does it.
   */
  removeUnnamed(unnamed: Unnamed): Promise<number>;
  /**
   * Marks the files as those of a realm, and tells whether they are: two servers may have been
   * given one store by mistake, and each would remove what its rows do not name.
   */
  belongTo(mark: string): Promise<boolean>;
  /**
   * Moves the files that are in the realm's folder to the store that machines share, or copies them
   * there, and returns how many there were. Does nothing where files stay in that folder.
   */
  moveToStore(options?: { readonly isCopy: boolean }): Promise<number>;
  /**
   * Copies the files that rows name from the store that machines share to the realm's folder, and
   * returns how many there were. Does nothing where files stay in that folder.
   */
  copyFromStore(isNamed: Unnamed['isNamed']): Promise<number>;
  /** Removes all files of a realm that is gone from a store outside of its folder. */
  removeAll(): Promise<void>;
}

export interface Unnamed {
  /** UNIX milliseconds. */
  readonly storedBefore: number;
  /** Tells whether a row names a file; `isPart` if it is one that comes in parts. */
  isNamed(name: FileName, kind: { readonly isPart: boolean }): boolean;
}

/** Letters, digits, `-` or `_`: two for the folder, and more for the file. */
export interface FileName {
  readonly folder: string;
  readonly file: string;
}

export interface IncomingFile {
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Brings the file to its place, where it is on disk when this resolves. Its row may be written
   * now.
   */
  keep(): Promise<void>;
  /** Called once its row is on disk as well. */
  settle(): Promise<void>;
  /** Called if there will be no row: removes all there is of the file. */
  discard(): Promise<void>;
}

export interface PartialFile {
  /** Returns the next offset, which is before `offset` if the disk has lost some bytes. */
  readonly start: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when all that was written is on disk. */
  sync(): Promise<void>;
  /** Called when the file is complete and synced: it can be opened once this resolves. */
  keep(): Promise<void>;
  /** Called once the row of the complete file is on disk as well. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /**
   * Fills these bytes from a position on. Returns the filled part, which is less than all only at
   * the end of the file.
   */
  read(into: Buffer, position: number): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Folder of files without a row: a name in it says that there may be a file of that name in its
 * place.
 */
const INCOMING = 'incoming';
/**
 * Folder of files that were removed while somebody copies. They go when the copy is done, or at the
 * next start.
 */
const HELD = 'held';
const NAME = /^([\w-]{2})([\w-]{10,100})$/;

export function openFileStore(root: string): FileStore {
  const folders = disk.openFolders(root);
  const incoming = join(root, INCOMING);
  const held = openHeldFiles(join(root, HELD));
  const locationOf = (name: FileName) => {
    const { folder, file } = checked(name);
    return { folder: join(root, folder), path: join(root, folder, file) };
  };

  const store: FileStore = {
    async receive(name) {
      const location = locationOf(name);
      const aside = join(incoming, `${name.folder}${name.file}`);
      const opened = folders.within(incoming, () => disk.open(aside, 'wx', 0o600));
      const file = await spaceTaken(opened);
      return incomingFile(file, {
        aside,
        location,
        name: () => folders.within(location.folder, () => disk.link(aside, location.path)),
      });
    },
    async goOn(name, offset) {
      const location = locationOf(name);
      const open = () => disk.open(location.path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const file = await spaceTaken(folders.within(location.folder, open));
      return await partialFile(file, { location, offset });
    },
    async sizeOf(name) {
      const file = await store.open(name);
      await file?.close();
      return file?.size ?? 0;
    },
    async open(name) {
      const { path } = locationOf(name);
      const file = (await disk.openIfThere(path)) ?? (await held.open(name));
      return file === undefined ? undefined : storedFile(file);
    },
    measure: (name) => images.measure(locationOf(name).path),
    async shrink(name, { to, isMoving }) {
      const bytes = await images.shrink(locationOf(name).path, { isMoving });
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
    remove: (name) => held.remove(name, locationOf(name).path),
    hold: held.hold,
    removeRemains(hasRow) {
      rmSync(join(root, HELD), { recursive: true, force: true });
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      for (const entry of readdirSync(incoming)) {
        const [, folder, file] = NAME.exec(entry) ?? [];
        if (folder === undefined || file === undefined) continue;
        const name = { folder, file };
        if (!hasRow(name)) rmSync(locationOf(name).path, { force: true });
        rmSync(join(incoming, entry), { force: true });
      }
    },
    removeUnnamed: async () => 0,
    belongTo: async () => true,
    moveToStore: async () => 0,
    copyFromStore: async () => 0,
    removeAll: async () => undefined, // the folder goes as a whole
  };
  return store;
}

/** Removes files at once, or sets them aside while somebody holds them. */
function openHeldFiles(folder: string) {
  const folders = disk.openFolders(folder);
  const pathOf = ({ folder: start, file }: FileName) => join(folder, `${start}${file}`);
  const { isHeld, hold } = openHolders(() => rm(folder, { recursive: true, force: true }));
  return {
    hold,
    open: (name: FileName) =>
      isHeld() ? disk.openIfThere(pathOf(name)) : Promise.resolve(undefined),
    async remove(name: FileName, path: string) {
      if (!isHeld()) return await disk.remove(path);
      await folders.within(folder, () => disk.moveIfThere(path, pathOf(name)));
    },
  };
}

/** A disk that fills up suddenly refuses like one that was known to be nearly full. */
export const spaceTaken = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw isOutOfSpace(error) ? storageFull() : error;
  });

interface FileLocation {
  readonly folder: string;
  readonly path: string;
}

interface Incoming {
  readonly aside: string;
  readonly location: FileLocation;
  /** Brings it to its place as well. */
  readonly name: () => Promise<void>;
}

/** A file without a row keeps the name that says so, besides the name that it is found by. */
function incomingFile(file: number, { aside, location, name }: Incoming): IncomingFile {
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
      await spaceTaken(disk.syncWithFolder(file, location.folder));
      await close();
    },
    // Should the name stay, the next start finds the row and removes it.
    settle: () => disk.remove(aside).catch(() => undefined),
    async discard() {
      await close();
      if (isNamed) await disk.remove(location.path);
      await disk.remove(aside);
    },
  };
}

async function partialFile(
  file: number,
  { location, offset }: { location: FileLocation; offset: number },
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
  // Bytes are acknowledged only once the name of the file is on disk as well.
  let isNamed = end > 0;
  return {
    start: end,
    async write(bytes) {
      await spaceTaken(disk.write(file, bytes, end));
      end += bytes.length;
    },
    async sync() {
      const synced = isNamed ? disk.sync(file) : disk.syncWithFolder(file, location.folder);
      await spaceTaken(synced);
      isNamed = true;
    },
    // It has been in its place from its first byte on.
    keep: async () => undefined,
    settle: async () => undefined,
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
export function checked(name: FileName): FileName {
  if (!NAME.test(`${name.folder}${name.file}`) || name.folder.length !== 2) {
    throw new Error(`${name.folder}/${name.file} is no name of a file`);
  }
  return name;
}
