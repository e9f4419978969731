import { basename, dirname } from 'node:path';
import type { S3Settings } from '../../../storage/objects/s3-client.ts';
import { isS3Address } from '../../domain/s3-address.ts';
import { folderPlace } from './folder-place.ts';
import type { Place, Source } from './place.ts';
import { s3Place } from './s3-place.ts';

/** Opens the place at an address: the path of a folder, or `s3://bucket/prefix`. */
export const openPlace = (address: string, s3: S3Settings): Place =>
  isS3Address(address) ? s3Place(address, s3) : folderPlace(address);

/** Opens the backup at an address, which is in a place. */
export function openSource(address: string, s3: S3Settings): Source {
  const path = address.replace(/\/$/, '');
  const place = isS3Address(path) ? path.slice(0, path.lastIndexOf('/')) : dirname(path);
  return openPlace(place, s3).at(basename(path));
}
