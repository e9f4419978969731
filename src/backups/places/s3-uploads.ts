import { createHash, type Hash } from 'node:crypto';
import type { Filling } from '../copying.ts';
import { BackupError } from '../manifest.ts';
import type { Body, Bucket } from './s3-client.ts';
import { textsIn } from './s3-xml.ts';

/** Some services demand that all parts but the last have one size; all demand at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** A service takes no more parts of one object: 78 GiB. */
const PARTS_MAX = 10_000;
/** Parts that are under way at once, each of which is in memory. */
const PARTS_AT_ONCE = 4;

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
      if (long === undefined) await uploads.begin(() => put(bucket, key, part.body()));
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

const put = async (bucket: Bucket, key: string, body: Body) =>
  void (await bucket.text({ method: 'PUT', key, body }));

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

interface Uploads {
  /** Begins a request as soon as there is room for it, or throws the failure of an earlier one. */
  begin(send: () => Promise<void>): Promise<void>;
  /** Waits for all requests, and throws the failure of one of them. */
  flush(): Promise<void>;
  /** Waits until none is under way, whatever becomes of them. */
  end(): Promise<void>;
}

function openUploads(): Uploads {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const refuseFailed = () => {
    if (failures.length > 0) throw failures[0];
  };
  const end = async () => void (await Promise.all(underWay));
  return {
    async begin(send) {
      while (underWay.size >= PARTS_AT_ONCE) await Promise.race(underWay);
      refuseFailed();
      const sending: Promise<void> = send()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async flush() {
      await end();
      refuseFailed();
    },
    end,
  };
}

interface LongUpload {
  send(body: Body): Promise<void>;
  finish(last: Body): Promise<void>;
  abort(): Promise<void>;
}

async function beginLong(bucket: Bucket, key: string, uploads: Uploads): Promise<LongUpload> {
  const { text } = await bucket.text({ method: 'POST', key, query: { uploads: '' } });
  const [uploadId = ''] = textsIn(text)('InitiateMultipartUploadResult/UploadId');
  const etags: string[] = [];
  let parts = 0;

  async function send(body: Body) {
    parts += 1;
    const number = parts;
    if (number > PARTS_MAX) {
      throw new BackupError(`${key} has more bytes than an object can be uploaded with`);
    }
    await uploads.begin(async () => {
      const query = { partNumber: String(number), uploadId };
      const { headers } = await bucket.text({ method: 'PUT', key, query, body });
      etags[number - 1] = headers.etag ?? '';
    });
  }

  return {
    send,
    async finish(last) {
      await send(last);
      await uploads.flush();
      const listed = etags.map(
        (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
      );
      const list = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
      const reply = await bucket.text({
        method: 'POST',
        key,
        query: { uploadId },
        body: bodyOf(list),
      });
      // A service begins its answer before it knows the outcome.
      const [code] = textsIn(reply.text)('Error/Code');
      if (code !== undefined) throw new BackupError(`${key} could not be put together: ${code}`);
    },
    async abort() {
      await uploads.end();
      await bucket.text({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    },
  };
}

function bodyOf(text: string): Body {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { chunks: [bytes], bytes: bytes.length, sha256 };
}
