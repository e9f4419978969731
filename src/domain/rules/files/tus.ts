import { UPLOAD_METADATA_LENGTH_MAX } from '../../limits/files.ts';
import { badRequest } from '../../wire/errors.ts';
import { uploadWithoutLength } from '../../wire/upload-errors.ts';

/**
 * The headers of a request that have a meaning for resumable uploads (tus 1.0), by their names in
 * lower case.
 */
export type TusHeaders = Readonly<Record<string, string>>;

export const isTusHeader = (name: string): boolean =>
  name.startsWith('upload-') || name === 'tus-resumable' || name === METHOD_OVERRIDE;

/** Headers that CORS has to allow for pages of other hosts. */
export const TUS_REQUEST_HEADERS = [
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
];

const METHOD_OVERRIDE = 'x-http-method-override';

/**
 * "The header MUST be interpreted as the request's method": some clients can send only GET and
 * POST.
 */
export const methodOf = (method: string, headers: TusHeaders): string =>
  method === 'POST' ? (headers[METHOD_OVERRIDE] ?? method).toUpperCase() : method;

/** Returns the length in bytes that the whole file will have. */
export function lengthOf(headers: TusHeaders): number {
  if (headers['upload-concat'] !== undefined) {
    throw badRequest('Uploads are not put together of others (Upload-Concat)');
  }
  const length = headers['upload-length'];
  if (length === undefined) throw uploadWithoutLength();
  if (headers['upload-defer-length'] !== undefined) {
    throw badRequest('Upload-Length and Upload-Defer-Length exclude each other');
  }
  return wholeNumber('Upload-Length', length);
}

/** Returns the number of bytes that the client takes for received. */
export function offsetOf(headers: TusHeaders): number {
  const offset = headers['upload-offset'];
  if (offset === undefined) throw badRequest('Upload-Offset is missing');
  return wholeNumber('Upload-Offset', offset);
}

/** Fifteen digits are exact as a number. */
function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} is no number of bytes`);
  return Number(text);
}

/**
 * Parses the client's description of the file: "key and value separated by a space, the value
 * Base64 encoded, all keys unique".
 */
export function metadataOf(header: string): ReadonlyMap<string, Buffer> {
  if (header.length > UPLOAD_METADATA_LENGTH_MAX) {
    throw badRequest(`Upload-Metadata is longer than ${UPLOAD_METADATA_LENGTH_MAX} characters`);
  }
  const metadata = new Map<string, Buffer>();
  for (const pair of header.trim() === '' ? [] : header.split(',')) {
    const [, key = '', value = ''] = PAIR.exec(pair.trim()) ?? [];
    if (key === '' || metadata.has(key) || !BASE64.test(value)) {
      throw badRequest('Upload-Metadata is malformed');
    }
    metadata.set(key, Buffer.from(value, 'base64'));
  }
  return metadata;
}

/** The key has only characters that can be sent back in a header unchanged. */
const PAIR = /^([\x21-\x2b\x2d-\x7e]+)(?: ([\w+/=]*))?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The algorithms that `Upload-Checksum` can name. */
export const CHECKSUM_ALGORITHMS: readonly string[] = ['sha1', 'sha256', 'md5'];

export interface Checksum {
  readonly algorithm: string;
  readonly digest: Buffer;
}

/** Returns the checksum that the bytes of this request must have; null if the client sent none. */
export function checksumOf({ 'upload-checksum': header }: TusHeaders): Checksum | null {
  if (header === undefined) return null;
  const [algorithm = '', digest = ''] = header.split(' ');
  if (!CHECKSUM_ALGORITHMS.includes(algorithm) || digest === '' || !BASE64.test(digest)) {
    throw badRequest('Upload-Checksum is malformed, or of an unknown algorithm');
  }
  return { algorithm, digest: Buffer.from(digest, 'base64') };
}
