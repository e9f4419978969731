import { createHash } from 'node:crypto';
import { ObjectStoreError } from './object-error.ts';
import type { Body, Bucket } from './s3-client.ts';
import { textsIn } from './s3-xml.ts';

/** Some services demand that all parts but the last have one size; all demand at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
/** A service takes no more parts of one object: 78 GiB. */
const PARTS_MAX = 10_000;
/** Parts that are under way at once. */
const PARTS_AT_ONCE = 4;

export interface Uploads {
  /** Begins a request as soon as there is room for it, or throws the failure of an earlier one. */
  begin(send: () => Promise<void>): Promise<void>;
  /** Waits for all requests, and throws the failure of one of them. */
  flush(): Promise<void>;
  /** Waits until none is under way, whatever becomes of them. */
  end(): Promise<void>;
}

export function openUploads(): Uploads {
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

export const putObject = async (bucket: Bucket, key: string, body: Body): Promise<void> =>
  void (await bucket.text({ method: 'PUT', key, body }));

/** An object that is uploaded in parts, and is there once it is finished. */
export interface LongUpload {
  send(body: Body): Promise<void>;
  finish(last: Body): Promise<void>;
  abort(): Promise<void>;
}

export async function beginLong(
  bucket: Bucket,
  key: string,
  uploads: Uploads,
): Promise<LongUpload> {
  const { text } = await bucket.text({ method: 'POST', key, query: { uploads: '' } });
  const [uploadId = ''] = textsIn(text)('InitiateMultipartUploadResult/UploadId');
  const etags: string[] = [];
  let parts = 0;

  async function send(body: Body) {
    parts += 1;
    const number = parts;
    if (number > PARTS_MAX) {
      throw new ObjectStoreError(`${key} has more bytes than an object can be uploaded with`);
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
        body: bodyOf(Buffer.from(list)),
      });
      // A service begins its answer before it knows the outcome.
      const [code] = textsIn(reply.text)('Error/Code');
      if (code !== undefined) {
        throw new ObjectStoreError(`${key} could not be put together: ${code}`);
      }
    },
    async abort() {
      await uploads.end();
      await bucket.text({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    },
  };
}

export function bodyOf(bytes: Uint8Array): Body {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { chunks: [bytes], bytes: bytes.length, sha256 };
}
