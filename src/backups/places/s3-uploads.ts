import { createHash, type Hash } from 'node:crypto';
import {
  beginLong,
  type LongUpload,
  openUploads,
  PART_BYTES,
  putObject,
} from '../../../storage/objects/long-upload.ts';
import type { Body, Bucket } from '../../../storage/objects/s3-client.ts';
import type { Filling } from '../copying.ts';

/**
 * Uploads files under a prefix of a bucket. A file that fits in one part is sent as one object; a
 * longer one in parts, while the next ones are read. `abort` gives up what is under way.
 */
export function fillBucket(
  bucket: Bucket,
  prefix: string,
): { filling: Filling; abort(): Promise<void> } {
  const uploads = openUploads();

  async function write(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const key = `${prefix}${path}`;
    const hash = createHash('sha256');
    let long: LongUpload | undefined;
    let part = openPart();
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        for (let rest = part.take(chunk); rest.length > 0; rest = part.take(rest)) {
          long ??= await beginLong(bucket, key, uploads);
          await long.send(part.body());
          part = openPart();
        }
      }
      if (long === undefined) await uploads.begin(() => putObject(bucket, key, part.body()));
      else await long.finish(part.body());
    } catch (error) {
      await long?.abort();
      throw error;
    }
    return { path, bytes, sha256: hash.digest('hex') };
  }

  return {
    filling: { write, flush: uploads.flush, settle: uploads.flush },
    abort: uploads.end,
  };
}

interface Part {
  /** Adds bytes, up to the size of a part. Returns those that did not fit. */
  take(chunk: Uint8Array): Uint8Array;
  body(): Body;
}

function openPart(): Part {
  const chunks: Uint8Array[] = [];
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  return {
    take(chunk) {
      const fitting = chunk.subarray(0, PART_BYTES - bytes);
      if (fitting.length > 0) {
        chunks.push(fitting);
        hash.update(fitting);
        bytes += fitting.length;
      }
      return chunk.subarray(fitting.length);
    },
    body: () => ({ chunks, bytes, sha256: hash.digest('hex') }),
  };
}
