import { ANSWER_PIECE_BYTES } from '../../domain/limits/requests.ts';
import { goesOn, hold, release, type Untaken } from '../connections/untaken.ts';
import type { HttpResponse } from '../library/sockets.ts';
import type { HttpReply } from './http-reply.ts';
import { type Common, withContentType, writeHead } from './writing.ts';

/** Measures texts in characters, which is quick: they may have three times as many bytes. */
export const goesInPieces = ({ body, isHead, closesConnection }: HttpReply): boolean =>
  body.length > ANSWER_PIECE_BYTES && isHead !== true && closesConnection !== true;

/**
 * Ends a response in pieces, each handed on when the one before is taken. The library would copy a
 * whole body at the end of a response, and keep it for as long as the client does not read. Returns
 * what is to be called if the client goes away; null if all is taken.
 */
export function endInPieces(
  res: HttpResponse,
  reply: HttpReply,
  { common, reader }: { readonly common: Common; readonly reader: string },
): (() => void) | null {
  const { body, isShared = false } = reply;
  const total = Buffer.byteLength(body);
  let bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const untaken: Untaken = { reader, bytes: isShared ? 0 : total, cut: () => void res.close() };
  let isWhole = false;
  res.onWritable((offset) => {
    if (isWhole) return true;
    isWhole = handOn(res, bytes, offset);
    if (isWhole) release(untaken);
    else goesOn(untaken);
    return isWhole;
  });
  res.cork(() => {
    writeHead(res, withContentType(reply), common);
    isWhole = handOn(res, bytes, 0);
  });
  if (isWhole) return null;
  // The caller may reuse these bytes for the next reader.
  if (!isShared && typeof body !== 'string') bytes = Buffer.from(body);
  hold(untaken);
  return () => release(untaken);
}

/** Hands on pieces from here until one is not taken. Returns true if the last one was taken. */
function handOn(res: HttpResponse, bytes: Uint8Array, from: number): boolean {
  for (let start = from; ; start += ANSWER_PIECE_BYTES) {
    const piece = bytes.subarray(start, start + ANSWER_PIECE_BYTES);
    const [isTaken, isWhole] = res.tryEnd(piece, bytes.length);
    if (isWhole || !isTaken) return isWhole;
  }
}
