import { ObjectStoreError } from './object-error.ts';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/;

export const isS3Address = (address: string): boolean => address.startsWith('s3://');

/** A prefix of a bucket. */
export interface Location {
  readonly bucket: string;
  /** Empty, or a path that ends with a slash. */
  readonly prefix: string;
}

/** Reads an address like `s3://bucket/prefix`. */
export function locationIn(address: string): Location {
  const [, bucket = '', folder = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === '') {
    throw new ObjectStoreError(
      `${address} is not an address like s3://bucket or s3://bucket/folder`,
    );
  }
  return { bucket, prefix: folder === '' ? '' : `${folder.slice(1)}/` };
}
