import { COMPRESSED_BYTES_MIN } from '../../domain/limits/requests.ts';
import type { Coding } from './content-codings.ts';
import type { HttpReply } from './http-reply.ts';

/** Images are compressed already, but for those that are text. */
const COMPRESSIBLE_TYPE = /^(?:text\/|application\/json|image\/svg\+xml)/;

/**
 * Tests for an answer that is compressed for those who ask for it. Texts are measured in
 * characters, as they may not be needed as bytes.
 */
export const isCompressible = ({
  status,
  body,
  contentType,
  isFinal,
  closesConnection,
}: HttpReply): boolean =>
  body.length >= COMPRESSED_BYTES_MIN &&
  status === '200 OK' &&
  isFinal !== true &&
  closesConnection !== true &&
  (contentType === undefined || COMPRESSIBLE_TYPE.test(contentType));

/** Tells caches to keep the answer for those who take the same codings. */
export const varied = (reply: HttpReply): HttpReply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ['Vary', 'Accept-Encoding']],
});

/**
 * Returns the answer with its body in a coding. Its tag becomes a weak one: the same content has
 * other bytes now (RFC 9110, 8.8.3).
 */
export const compressedReply = (reply: HttpReply, coding: Coding, body: Buffer): HttpReply => ({
  ...reply,
  body,
  headers: [
    ['Content-Encoding', coding],
    ...(reply.headers ?? []).map(
      ([name, value]) => [name, name === 'ETag' ? `W/${value}` : value] as const,
    ),
  ],
});
