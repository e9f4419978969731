import { FILE_CHUNK_BYTES } from '../domain/limits/files.ts';
import type { ServedFile } from '../endpoints/files/serve-files.ts';
import { isOneOf, tagOf } from './answers/entity-tags.ts';
import type { StreamedReply } from './answers/http-reply.ts';
import { statusLine } from './answers/reply.ts';
import type { HttpExchange } from './exchange.ts';

/** Sends a file, or the requested part of it, as fast as the client takes it. */
export async function sendFile(
  exchange: HttpExchange,
  file: ServedFile,
  { range, ifRange, ifNoneMatch, isHead }: Conditions,
) {
  try {
    const { size } = file.bytes;
    const tag = tagOf(file.tag);
    if (isOneOf(ifNoneMatch, tag)) return exchange.endHead(unchanged(file), null);
    // The client has a part of an older file, to which no part of this one belongs.
    const part = ifRange === '' || ifRange === tag ? partOf(range, size) : undefined;
    const reply = replyOf(file, part);
    if (part === 'outside') exchange.end({ ...reply, body: '' });
    else if (isHead) exchange.endHead(reply, part?.length ?? size);
    else await sendPart(exchange, reply, { file, part: part ?? { start: 0, length: size } });
  } finally {
    await file.bytes.close();
  }
}

/** The conditions of the request: the client's copy, and the part that it asks for. */
export interface Conditions {
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
  readonly isHead: boolean;
}

/** A part of a file, in bytes. */
interface Part {
  readonly start: number;
  readonly length: number;
}

async function sendPart(
  exchange: HttpExchange,
  reply: StreamedReply,
  { file, part: { start, length } }: { file: ServedFile; part: Part },
) {
  if (length === 0) return exchange.end({ ...reply, body: '' });
  const read = readerOf(file, { start, length });
  let next = read(0);
  let isBegun = false;
  try {
    for (let sent = 0; ; sent += FILE_CHUNK_BYTES) {
      const bytes = await next;
      const isLast = sent + bytes.length === length;
      isBegun = true;
      // The disk is read while the client takes the chunk before.
      const sending = exchange.send(bytes, length, sent === 0 ? reply : undefined);
      if (!isLast) next = read(sent + bytes.length);
      if (!(await sending) || isLast) return;
    }
  } catch (error) {
    // The connection is closed, so that the client does not take the part for the whole.
    if (isBegun) exchange.breakOff();
    throw error;
  } finally {
    // The file is closed after this, so no read may be under way.
    await next.catch(() => undefined);
  }
}

/**
 * Reads the chunks of a part in their order, into two buffers by turns: one is sent while the other
 * is filled.
 */
function readerOf(file: ServedFile, { start, length }: Part) {
  const buffers = Array.from({ length: Math.ceil(length / FILE_CHUNK_BYTES) > 1 ? 2 : 1 }, () =>
    Buffer.allocUnsafe(Math.min(FILE_CHUNK_BYTES, length)),
  );
  return async (from: number): Promise<Buffer> => {
    const [buffer = Buffer.alloc(0)] = buffers;
    buffers.reverse();
    const into = buffer.subarray(0, length - from);
    const bytes = await file.bytes.read(into, start + from);
    if (bytes.length < into.length) {
      throw new Error(`a file of ${file.bytes.size} bytes is shorter`);
    }
    return bytes;
  };
}

/** Parses one range (RFC 9110); several, and an invalid one, are answered with the whole file. */
function partOf(range: string, size: number): Part | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'outside' : { start, length: end - start };
}

function replyOf(file: ServedFile, part: Part | 'outside' | undefined): StreamedReply {
  const { size } = file.bytes;
  if (part === 'outside') {
    return { status: statusLine(416), headers: [['Content-Range', `bytes */${size}`]] };
  }
  const isPart = part !== undefined;
  return {
    status: statusLine(isPart ? 206 : 200),
    contentType: file.contentType,
    cacheControl: keptAs(file),
    headers: [
      ['ETag', tagOf(file.tag)],
      ['Content-Disposition', dispositionOf(file)],
      ['Content-Security-Policy', policyOf(file)],
      ['Referrer-Policy', 'no-referrer'],
      ['Accept-Ranges', 'bytes'],
      ...(isPart ? [contentRange(part, size)] : []),
    ],
  };
}

/** Answers a client that has the file; a client that may no longer read it is refused earlier. */
const unchanged = (file: ServedFile): StreamedReply => ({
  status: statusLine(304),
  cacheControl: keptAs(file),
  headers: [['ETag', tagOf(file.tag)]],
});

/** "Cache-Control: private, immutable": a path never stands for other bytes. */
const keptAs = ({ isPublic }: ServedFile): string =>
  isPublic ? 'public, max-age=31536000, immutable' : 'private, immutable';

const contentRange = ({ start, length }: Part, size: number): readonly [string, string] => [
  'Content-Range',
  `bytes ${start}-${start + length - 1}/${size}`,
];

/** Builds the header of RFC 6266: the name in Unicode, and in ASCII for older clients. */
function dispositionOf({ isShown, name }: ServedFile): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${full}`;
}

/**
 * Returns a policy under which an uploaded file can do nothing when it is opened by itself.
 * Browsers show no PDF in a sandbox.
 */
const policyOf = ({ contentType }: ServedFile): string =>
  contentType === 'application/pdf'
    ? "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
    : "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";
