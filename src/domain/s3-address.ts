const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/;

/** A prefix of a bucket in S3-compatible storage. */
export interface S3Location {
  readonly bucket: string;
  /** Empty, or a path that ends with a slash. */
  readonly prefix: string;
}

/** Tells the address of a place in S3-compatible storage from a path; it may be mistyped. */
export const isS3Address = (text: string): boolean => text.startsWith('s3://');

/** Reads an address like `s3://bucket/prefix`; returns undefined if it is mistyped. */
export function s3LocationIn(address: string): S3Location | undefined {
  const [, bucket, folder = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  return { bucket, prefix: folder === '' ? '' : `${folder.slice(1)}/` };
}
