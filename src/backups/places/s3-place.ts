import { diskCode } from '../../../storage/files/disk-fault.ts';
import { locationIn } from '../../../storage/objects/s3-address.ts';
import { openBucket, type S3Settings } from '../../../storage/objects/s3-client.ts';
import { foldersUnder, objectsUnder, removeObject } from '../../../storage/objects/s3-listing.ts';
import { chunksOfObject } from '../../../storage/objects/s3-objects.ts';
import { inParallel } from '../in-parallel.ts';
import { MANIFEST, MANIFEST_HASH } from '../manifest.ts';
import type { Place, Source } from './place.ts';
import { fillBucket } from './s3-uploads.ts';

const REMOVED_AT_ONCE = 8;

/**
 * Returns a prefix of a bucket as a place of backups. There is no renaming there: a backup is
 * complete once it has the hash of its manifest, which is written last and removed first.
 */
export function s3Place(address: string, settings: S3Settings): Place {
  const { bucket: name, prefix } = locationIn(address);
  const bucket = openBucket(name, settings);
  const addressOf = (backup: string) => `s3://${name}/${prefix}${backup}`;

  async function remove(backup: string) {
    const root = `${prefix}${backup}/`;
    for (const file of [MANIFEST_HASH, MANIFEST]) await removeObject(bucket, `${root}${file}`);
    await inParallel(objectsUnder(bucket, root), REMOVED_AT_ONCE, ({ key }) =>
      removeObject(bucket, key),
    );
  }

  return {
    address: `s3://${name}/${prefix}`.replace(/\/$/, ''),
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
