import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Content } from '../objects/object-store.ts';
import * as disk from './disk.ts';
import { type FileName, spaceTaken } from './file-store.ts';

/**
 * Files of this machine for as long as somebody writes them. They mean nothing after a kill, and
 * the next start removes them.
 */
export interface Spool {
  /** A file is found by its name while it is open, unless it is only a copy. */
  create(name: FileName, options?: { readonly isNamed: boolean }): Promise<SpoolFile>;
  /** Returns the path of an open file of this name. */
  pathOf(name: FileName): string | undefined;
}

export interface SpoolFile {
  readonly path: string;
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Returns the bytes from a position on, as they are now. */
  content(from?: number): Content;
  /** Removes the file as well. */
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;

export function openSpool(folder: string): Spool {
  const folders = disk.openFolders(folder);
  const paths = new Map<string, string>();
  const keyOf = (name: FileName) => `${name.folder}${name.file}`;
  return {
    pathOf: (name) => paths.get(keyOf(name)),
    async create(name, { isNamed } = { isNamed: true }) {
      const path = join(folder, randomBytes(12).toString('hex'));
      const opened = folders.within(folder, () => disk.open(path, 'wx+', 0o600));
      const file = await spaceTaken(opened);
      if (isNamed) paths.set(keyOf(name), path);
      return spoolFile(file, path, () => {
        if (paths.get(keyOf(name)) === path) paths.delete(keyOf(name));
      });
    },
  };
}

function spoolFile(file: number, path: string, onClosed: () => void): SpoolFile {
  let isOpen = true;
  return {
    path,
    write: (bytes, position) => spaceTaken(disk.write(file, bytes, position)),
    content: (from = 0) => ({
      bytes: disk.sizeOf(file) - from,
      async *chunks({ start, end }) {
        for (let position = start; position < end; position += CHUNK_BYTES) {
          const room = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
          yield await disk.read(file, room, from + position);
        }
      },
    }),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      onClosed();
      await disk.close(file);
      await disk.remove(path);
    },
  };
}
