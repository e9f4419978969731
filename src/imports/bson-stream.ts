/** Reads a file of BSON documents one after another, as `mongodump` writes a collection. */
import type { Readable } from 'node:stream';
import { deserialize } from 'bson';
import { chunksOf, type JsonLine, JsonStreamError } from './json-stream.ts';

/** MongoDB stores no document above 16 MiB. */
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024 + 16 * 1024;
/** A document begins with its length of 32 bits, little-endian; an empty one has five bytes. */
const LENGTH_BYTES = 4;
const DOCUMENT_BYTES_MIN = 5;

/**
 * Yields the documents with their number, from 1. Throws `JsonStreamError` where a length cannot
 * be right: nothing behind it can be read.
 */
export async function* bsonDocuments(stream: Readable): AsyncGenerator<JsonLine> {
  let held: Buffer[] = [];
  let size = 0;
  let needed = LENGTH_BYTES;
  let line = 0;
  try {
    for await (const part of chunksOf(stream)) {
      held.push(part);
      size += part.length;
      if (size < needed) continue;
      let bytes = held.length === 1 ? part : Buffer.concat(held);
      for (;;) {
        needed = lengthAt(bytes, line + 1);
        if (bytes.length < needed) break;
        line += 1;
        yield { line, ...parsed(bytes.subarray(0, needed)) };
        bytes = bytes.subarray(needed);
      }
      held = [bytes];
      size = bytes.length;
    }
    if (size > 0) throw new JsonStreamError(`The file ends within document ${line + 1}.`);
  } finally {
    stream.destroy();
  }
}

function lengthAt(bytes: Buffer, line: number): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readInt32LE(0);
  if (length < DOCUMENT_BYTES_MIN || length > DOCUMENT_BYTES_MAX) {
    throw new JsonStreamError(`Document ${line} cannot be ${length} bytes long.`);
  }
  return length;
}

function parsed(bytes: Buffer): { value: unknown } | { why: string } {
  try {
    return { value: deserialize(bytes) };
  } catch {
    // A stack that a nested document has exhausted is an error like the others.
    return { why: 'The document is not BSON.' };
  }
}
