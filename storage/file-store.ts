import { constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as pictures from './pictures.ts';

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
  /** Of a picture; undefined for what is none. */
  measure(name: FileName): Promise<pictures.PictureSize | undefined>;
  /** Makes a small picture of one, as a file of its own; false when it cannot be decoded. */
  shrink(name: FileName, small: { to: FileName; isMoving: boolean }): Promise<boolean>;
  /** Draws an uploaded picture anew, in memory; undefined for what is none. */
  draw: typeof pictures.draw;
  /** It may be gone already. */
  remove(name: FileName): Promise<void>;
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
  /** Where it goes on: before `offset` where the disk has lost some. */
  readonly start: number;
  write(bytes: Uint8Array): Promise<void>;
  /** All that was written is on disk when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /** Fewer bytes than `length` only at the end of the file. */
  read(at: { readonly position: number; readonly length: number }): Promise<Uint8Array>;
  close(): Promise<void>;
}

const INCOMING = 'incoming';
/** Beside a file being received: it may be in its place without a row. */
const KEPT = '.kept';
const NAME = /^([\w-]{2})([\w-]{10,100})$/;

export function openFileStore(root: string): FileStore {
  const incoming = join(root, INCOMING);
  const placeOf = (name: FileName) => join(root, name.folder, checked(name).file);

  const store: FileStore = {
    async receive(name) {
      const place = placeOf(name);
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      const aside = join(incoming, `${name.folder}${name.file}`);
      const mark = `${aside}${KEPT}`;
      const handle = await open(aside, 'wx', 0o600);
      return incomingFile(handle, { aside, mark, place });
    },
    goOn: (name, offset) => partialFile(placeOf(name), offset),
    async sizeOf(name) {
      const file = await store.open(name);
      await file?.close();
      return file?.size ?? 0;
    },
    async open(name) {
      const handle = await openIfThere(placeOf(name));
      return handle === undefined ? undefined : await storedFile(handle);
    },
    measure: (name) => pictures.measure(placeOf(name)),
    async shrink(name, { to, isMoving }) {
      const bytes = await pictures.shrink(placeOf(name), { isMoving });
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
    draw: pictures.draw,
    remove: (name) => rm(placeOf(name), { force: true }),
    removeRemains(hasRow) {
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      for (const entry of readdirSync(incoming)) {
        const isMark = entry.endsWith(KEPT);
        const [, folder, file] = NAME.exec(isMark ? entry.slice(0, -KEPT.length) : entry) ?? [];
        if (folder === undefined || file === undefined) continue;
        const name = { folder, file };
        if (isMark && !hasRow(name)) rmSync(placeOf(name), { force: true });
        rmSync(join(incoming, entry), { force: true });
      }
    },
  };
  return store;
}

interface Places {
  readonly aside: string;
  readonly mark: string;
  readonly place: string;
}

function incomingFile(handle: FileHandle, { aside, mark, place }: Places): IncomingFile {
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return {
    write: (bytes) => handle.writeFile(bytes),
    async keep() {
      await handle.sync();
      await close();
      await (await open(mark, 'w', 0o600)).close();
      const folder = dirname(place);
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(dirname(folder));
      await rename(aside, place);
      await syncFolder(folder);
    },
    settle: () => rm(mark, { force: true }),
    async discard() {
      await close();
      await rm(aside, { force: true });
      await rm(place, { force: true });
      await rm(mark, { force: true });
    },
  };
}

async function partialFile(place: string, offset: number): Promise<PartialFile> {
  const folder = dirname(place);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(place, constants.O_RDWR | constants.O_CREAT, 0o600);
  let end: number;
  try {
    const { size } = await handle.stat();
    end = Math.min(size, offset);
    if (size > end) await handle.truncate(end);
  } catch (error) {
    await handle.close();
    throw error;
  }
  // Nobody was told of bytes before the name of the file was on disk as well.
  let isNamed = end > 0;
  return {
    start: end,
    async write(bytes) {
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, end);
        written += bytesWritten;
        end += bytesWritten;
      }
    },
    async sync() {
      await handle.datasync();
      if (isNamed) return;
      await syncFolder(folder);
      await syncFolder(dirname(folder));
      isNamed = true;
    },
    close: () => handle.close(),
  };
}

async function storedFile(handle: FileHandle): Promise<StoredFile> {
  const { size } = await handle.stat();
  return {
    size,
    async read({ position, length }) {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A name leads nowhere but into the folder of files. */
function checked(name: FileName): FileName {
  if (!NAME.test(`${name.folder}${name.file}`) || name.folder.length !== 2) {
    throw new Error(`${name.folder}/${name.file} is no name of a file`);
  }
  return name;
}

/** A new name is on disk only when its folder is. */
async function syncFolder(path: string) {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
