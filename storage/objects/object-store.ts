import type { ListedObject } from './s3-listing.ts';

/**
 * Objects by their keys, which several machines share. An object is whole from the moment at which
 * it is there; it is never changed, but may be replaced.
 */
export interface ObjectStore {
  /** The store as the operator writes it. */
  readonly address: string;
  /** Stores an object: all of it, or nothing is changed. */
  put(key: string, content: Content): Promise<void>;
  /** Returns the bytes of an object; undefined if there is none. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Reads an object from a byte on, up to another one or to its end. Throws an error with the code
   * ENOENT if there is none.
   */
  chunks(key: string, range?: ByteRange): AsyncIterable<Buffer>;
  /** Lists the objects whose keys begin with this, in the order of their keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes an object, which may be gone already. */
  remove(key: string): Promise<void>;
}

export interface ByteRange {
  readonly start: number;
  /** The byte behind the last one. */
  readonly end: number;
}

/** Bytes that can be read more than once: to be hashed, to be sent, and to be sent again. */
export interface Content {
  readonly bytes: number;
  chunks(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** Returns bytes in the memory as a content. */
export const contentOf = (bytes: Uint8Array): Content => ({
  bytes: bytes.length,
  async *chunks({ start, end }) {
    yield bytes.subarray(start, end);
  },
});

/** Reads a short object as a whole. Throws if it has more bytes than it may have. */
export async function shortObject(
  objects: ObjectStore,
  key: string,
  bytesMax: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of objects.chunks(key)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`${key} has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
