import type { Content } from '../objects/object-store.ts';
import type { StoredFile } from './file-store.ts';

/** Bytes that are read at once. */
const READ_BYTES = 1024 * 1024;

/** Returns the first bytes of a file as a content, by default all. */
export const contentOfFile = (file: StoredFile, bytes = file.size): Content => ({
  bytes,
  async *chunks({ start, end }) {
    for (let position = start; position < end; position += READ_BYTES) {
      const room = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
      const filled = await file.read(room, position);
      if (filled.length < room.length) throw new Error('a file is shorter than it was');
      yield filled;
    }
  },
});
