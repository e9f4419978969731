import { noSuchFile } from '../../src/domain/wire/errors.ts';
import { diskCode } from '../files/disk-fault.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { StoredFile } from './file-store.ts';

/** Bytes that are fetched at once for a reader who goes on where the last read ended. */
const AHEAD_BYTES = 1024 * 1024;
/** Readers that are given so much at once, 64 MiB in all; others fetch what they ask for. */
const AHEAD_AT_ONCE_MAX = 64;

let ahead = 0;

/**
 * Reads an object of a known size. The first read fetches what it asks for; one that follows it
 * fetches more at once, as a request costs the store as much as a megabyte.
 */
export function readObject(objects: ObjectStore, key: string, size: number): StoredFile {
  let next = 0;
  let fetched: { readonly from: number; readonly bytes: Buffer } | undefined;
  let hasRoom = false;

  async function fetch(into: Buffer, start: number) {
    let filled = 0;
    const range = { start, end: start + into.length };
    try {
      for await (const chunk of objects.chunks(key, range)) filled += chunk.copy(into, filled);
    } catch (error) {
      // It was removed since it was opened.
      throw diskCode(error) === 'ENOENT' ? noSuchFile() : error;
    }
    return into.subarray(0, filled);
  }

  const takeRoom = () => {
    if (hasRoom || ahead >= AHEAD_AT_ONCE_MAX) return hasRoom;
    ahead += 1;
    hasRoom = true;
    return true;
  };

  return {
    size,
    async read(into, position) {
      const wanted = Math.max(0, Math.min(into.length, size - position));
      const goesOn = position > 0 && position === next;
      next = position + wanted;
      const known = fetched === undefined ? -1 : position - fetched.from;
      if (fetched !== undefined && known >= 0 && known + wanted <= fetched.bytes.length) {
        fetched.bytes.copy(into, 0, known, known + wanted);
        return into.subarray(0, wanted);
      }
      if (!goesOn || position + wanted === size || !takeRoom()) {
        return await fetch(into.subarray(0, wanted), position);
      }
      const room = Buffer.allocUnsafe(Math.min(Math.max(AHEAD_BYTES, wanted), size - position));
      const bytes = await fetch(room, position);
      fetched = { from: position, bytes };
      const copied = bytes.copy(into, 0, 0, wanted);
      return into.subarray(0, copied);
    },
    async close() {
      fetched = undefined;
      if (hasRoom) ahead -= 1;
      hasRoom = false;
    },
  };
}
