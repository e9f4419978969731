import { createHash } from 'node:crypto';
import { diskCode } from '../files/disk-fault.ts';
import { beginLong, openUploads, PART_BYTES, putObject } from './long-upload.ts';
import { ObjectStoreAway } from './object-error.ts';
import type { ByteRange, Content, ObjectStore } from './object-store.ts';
import { locationIn } from './s3-address.ts';
import { type Body, type Bucket, openBucket, type S3Settings } from './s3-client.ts';
import { objectsUnder, removeObject } from './s3-listing.ts';

/** The reads of an object that was cut off: each goes on where the last one ended. */
const READS_MAX = 5;
/**
 * People wait for files: with four tries and the pauses between them, a store that is silent is
 * given up within 45 seconds, and one that refuses connections within 5.
 */
const PATIENCE = { silenceMs: 10_000, connectionsMax: 64 };

/** Opens a prefix of a bucket as a store of objects. Nothing is sent yet. */
export function openS3Objects(address: string, settings: S3Settings): ObjectStore {
  const { bucket: name, prefix } = locationIn(address);
  const bucket = openBucket(name, settings, PATIENCE);
  return {
    address,
    put: (key, content) => put(bucket, `${prefix}${key}`, content),
    async sizeOf(key) {
      try {
        const { content, headers } = await bucket.send({ method: 'HEAD', key: `${prefix}${key}` });
        content.resume(); // it is empty, and its connection can be used again
        return Number(headers['content-length'] ?? 0);
      } catch (error) {
        if (diskCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    chunks: (key, range) => chunksOfObject(bucket, `${prefix}${key}`, range),
    async *list(start) {
      for await (const { key, ...rest } of objectsUnder(bucket, `${prefix}${start}`)) {
        yield { ...rest, key: key.slice(prefix.length) };
      }
    },
    remove: (key) => removeObject(bucket, `${prefix}${key}`),
  };
}

/** Stores an object in one request, or in parts; nobody sees it before all of it has come. */
async function put(bucket: Bucket, key: string, content: Content) {
  if (content.bytes <= PART_BYTES) {
    await putObject(bucket, key, await bodyIn(content, { start: 0, end: content.bytes }));
    return;
  }
  const long = await beginLong(bucket, key, openUploads());
  try {
    for (let start = 0; ; start += PART_BYTES) {
      const end = Math.min(start + PART_BYTES, content.bytes);
      const body = await bodyIn(content, { start, end });
      if (end < content.bytes) await long.send(body);
      else return await long.finish(body);
    }
  } catch (error) {
    await long.abort();
    throw error;
  }
}

/** Reads the bytes once for their hash; they are read again when they are sent. */
async function bodyIn(content: Content, range: ByteRange): Promise<Body> {
  const hash = createHash('sha256');
  for await (const chunk of content.chunks(range)) hash.update(chunk);
  return {
    chunks: () => content.chunks(range),
    bytes: range.end - range.start,
    sha256: hash.digest('hex'),
  };
}

/** Reads an object. A connection that breaks meanwhile costs nothing but time. */
export async function* chunksOfObject(
  bucket: Bucket,
  key: string,
  range?: ByteRange,
): AsyncGenerator<Buffer> {
  let offset = range?.start ?? 0;
  let end = range?.end ?? Number.POSITIVE_INFINITY;
  for (let reads = 1; offset < end; reads++) {
    const asked = range === undefined ? offsetIn(offset) : { offset, end: range.end };
    const { content, headers } = await bucket.send({ method: 'GET', key, ...asked });
    if (reads === 1) end = offset + Number(headers['content-length'] ?? 0);
    try {
      for await (const chunk of content) {
        offset += (chunk as Buffer).length; // it has no encoding
        yield chunk as Buffer;
      }
      if (offset !== end) throw new Error(`it ends ${end - offset} bytes too early`);
    } catch (error) {
      if (reads === READS_MAX) throw cutOff(key, error);
    } finally {
      content.destroy();
    }
  }
}

const offsetIn = (offset: number) => (offset === 0 ? {} : { offset });

const cutOff = (key: string, error: unknown) =>
  new ObjectStoreAway(`${key} cannot be read: ${(error as Error).message}`);
