import { type S3Location, s3LocationIn } from '../../src/domain/s3-address.ts';
import { ObjectStoreError } from './object-error.ts';

/** Reads an address like `s3://bucket/prefix`. Throws if it is mistyped. */
export function locationIn(address: string): S3Location {
  const location = s3LocationIn(address);
  if (location !== undefined) return location;
  throw new ObjectStoreError(`${address} is not an address like s3://bucket or s3://bucket/folder`);
}
