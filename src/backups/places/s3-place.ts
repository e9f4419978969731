import { diskCode } from '../../../storage/files/disk-fault.ts';
import { inParallel } from '../in-parallel.ts';
import { BackupError, MANIFEST, MANIFEST_HASH } from '../manifest.ts';
import type { Place, Source } from './place.ts';
import { type Bucket, openBucket, type S3Settings } from './s3-client.ts';
import { fillBucket } from './s3-uploads.ts';
import { textsIn } from './s3-xml.ts';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/;

export const isS3Address = (address: string): boolean => address.startsWith('s3://');

/** The reads of an object that was cut off: each goes on where the last one ended. */
const READS_MAX = 5;
const REMOVED_AT_ONCE = 8;

/**
 * Returns a prefix of a bucket as a place of backups. There is no renaming there: a backup is
 * complete once it has the hash of its manifest, which is written last and removed first.
 */
export function s3Place(address: string, settings: S3Settings): Place {
  const [, name = '', folder = ''] = ADDRESS.exec(address) ?? [];
  if (name === '') {
    throw new BackupError(`${address} is not an address like s3://bucket or s3://bucket/folder`);
  }
  const bucket = openBucket(name, settings);
  const prefix = folder === '' ? '' : `${folder.slice(1)}/`;
  const addressOf = (backup: string) => `s3://${name}/${prefix}${backup}`;

  async function remove(backup: string) {
    const root = `${prefix}${backup}/`;
    for (const file of [MANIFEST_HASH, MANIFEST]) await removeObject(bucket, `${root}${file}`);
    await inParallel(keysUnder(bucket, root), REMOVED_AT_ONCE, (key) => removeObject(bucket, key));
  }

  return {
    address: `s3://${name}${folder}`,
    async begin(backup) {
      const { filling, abort } = fillBucket(bucket, `${prefix}${backup}/`);
      return {
        filling,
        finish: async () => undefined, // the filling is settled
        async abandon() {
          await abort();
          // The failure is told, not that its remains could not be removed either.
          await remove(backup).catch(() => undefined);
        },
      };
    },
    async names() {
      const names: string[] = [];
      for await (const found of foldersUnder(bucket, `${prefix}confab-`)) {
        names.push(found.slice(prefix.length, -1));
      }
      return names.sort();
    },
    async isComplete(backup) {
      try {
        const key = `${prefix}${backup}/${MANIFEST_HASH}`;
        (await bucket.send({ method: 'HEAD', key })).content.destroy();
        return true;
      } catch (error) {
        if (diskCode(error) === 'ENOENT') return false;
        throw error;
      }
    },
    at: (backup): Source => ({
      address: addressOf(backup),
      isUnfinished: false,
      chunks: (path) => chunksOfObject(bucket, `${prefix}${backup}/${path}`),
      changedAt: async () => null,
    }),
    remove,
  };
}

const removeObject = async (bucket: Bucket, key: string) =>
  void (await bucket.text({ method: 'DELETE', key }).catch(ifMissing));

function ifMissing(error: unknown) {
  if (diskCode(error) !== 'ENOENT') throw error;
}

async function* keysUnder(bucket: Bucket, prefix: string): AsyncGenerator<string> {
  for await (const texts of pagesUnder(bucket, { prefix })) {
    yield* texts('ListBucketResult/Contents/Key');
  }
}

async function* foldersUnder(bucket: Bucket, prefix: string): AsyncGenerator<string> {
  for await (const texts of pagesUnder(bucket, { prefix, delimiter: '/' })) {
    yield* texts('ListBucketResult/CommonPrefixes/Prefix');
  }
}

async function* pagesUnder(bucket: Bucket, query: Readonly<Record<string, string>>) {
  let token: string | undefined;
  do {
    const more = token === undefined ? {} : { 'continuation-token': token };
    const { text } = await bucket.text({
      method: 'GET',
      key: '',
      query: { 'list-type': '2', ...query, ...more },
    });
    const texts = textsIn(text);
    yield texts;
    token = texts('ListBucketResult/NextContinuationToken')[0];
  } while (token !== undefined && token !== '');
}

/** Reads an object. A connection that breaks meanwhile costs nothing but time. */
async function* chunksOfObject(bucket: Bucket, key: string): AsyncGenerator<Buffer> {
  let offset = 0;
  let size = Number.POSITIVE_INFINITY;
  for (let reads = 1; offset < size; reads++) {
    const from = offset === 0 ? {} : { offset };
    const { content, headers } = await bucket.send({ method: 'GET', key, ...from });
    if (offset === 0) size = Number(headers['content-length'] ?? 0);
    try {
      for await (const chunk of content) {
        offset += (chunk as Buffer).length; // it has no encoding
        yield chunk as Buffer;
      }
      if (offset !== size) throw new Error(`it ends after ${offset} of ${size} bytes`);
    } catch (error) {
      if (reads === READS_MAX) throw cutOff(key, error);
    } finally {
      content.destroy();
    }
  }
}

const cutOff = (key: string, error: unknown) =>
  new BackupError(`${key} cannot be read: ${(error as Error).message}`);
