import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import * as disk from './files/disk.ts';
import type { RealmSnapshot } from './transaction.ts';

/** A store at one moment: its rows, and the bytes of its file that hold exactly these rows. */
export interface FrozenStore extends RealmSnapshot {
  readonly size: number;
  /** All bytes from the first on. Ends with an error once it is closed. */
  chunks(): AsyncGenerator<Buffer>;
}

/** The file of an environment, in its folder. */
export const STORE_FILE = 'data.mdb';

/**
 * Copied from the start of the file: more than two pages of the largest size that LMDB has. They
 * say where the rows of a moment begin.
 */
const HEAD_BYTES = 256 * 1024;
/** Bytes read, hashed and written at once: some hundred microseconds of the event loop. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Freezes a store. Call it within a write transaction, while nobody else writes. The first two
 * pages of the file are the only ones that are ever overwritten while somebody reads, so they are
 * copied now. LMDB promises its readers that all other pages with rows of this moment stay as they
 * are until the snapshot is closed. Later pages may come between them, and nothing leads there.
 */
export function frozenStore(folder: string, snapshotNow: () => RealmSnapshot): FrozenStore {
  const file = openSync(join(folder, STORE_FILE), 'r');
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(file);
  };
  try {
    const snapshot = snapshotNow();
    const { size } = fstatSync(file);
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
    readSync(file, head, 0, head.length, 0);
    return {
      get reader() {
        return snapshot.reader;
      },
      size,
      async *chunks() {
        yield head;
        for (let position = head.length; position < size; position += CHUNK_BYTES) {
          snapshot.reader; // throws once the store is closed: its pages are no longer kept
          const room = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
          yield await disk.read(file, room, position);
        }
      },
      close() {
        snapshot.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
