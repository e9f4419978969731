import { diskCode } from '../files/disk-fault.ts';
import type { Bucket } from './s3-client.ts';
import { textsIn } from './s3-xml.ts';

/** An object as a listing has it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** UNIX milliseconds at which it was stored. */
  readonly storedAt: number;
}

/** Lists the objects whose keys begin with `prefix`, in the order of their keys. */
export async function* objectsUnder(bucket: Bucket, prefix: string): AsyncGenerator<ListedObject> {
  for await (const texts of pagesUnder(bucket, { prefix })) {
    const keys = texts('ListBucketResult/Contents/Key');
    const sizes = texts('ListBucketResult/Contents/Size');
    const times = texts('ListBucketResult/Contents/LastModified');
    for (const [index, key] of keys.entries()) {
      const storedAt = Date.parse(times[index] ?? '');
      yield { key, bytes: Number(sizes[index] ?? 0), storedAt };
    }
  }
}

/** Lists what is between `prefix` and the next slash, each once. */
export async function* foldersUnder(bucket: Bucket, prefix: string): AsyncGenerator<string> {
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

/** Removes an object, which may be gone already. */
export async function removeObject(bucket: Bucket, key: string): Promise<void> {
  await bucket.text({ method: 'DELETE', key }).catch((error: unknown) => {
    if (diskCode(error) !== 'ENOENT') throw error;
  });
}
