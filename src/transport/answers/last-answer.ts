import type { HttpReply } from './http-reply.ts';
import type { StandingHeaders } from './standing-headers.ts';

/**
 * Bytes that the library buffers while it parses a segment. It sends the beginning of a longer
 * answer at once, and drops the rest if the connection ends before the segment does.
 */
const COLLECTED_BYTES = 16 * 1024;
/**
 * The library ends the status line with it; here it is the end of the body, where JSON may have
 * white space.
 */
const LINE_END = '\r\n';

/**
 * How long an answer has to arrive before its connection is closed: bytes that the server no longer
 * reads make the kernel reset the connection, and the client would lose the answer.
 */
export const LAST_ANSWER_MS = 250;

/**
 * Encodes an answer of JSON whole, to be handed over as the status line. The library then takes the
 * request for unanswered, so it ends the connection and does not run what was sent behind it. White
 * space makes the answer longer than the library's buffer.
 */
export function lastAnswer(reply: HttpReply, { headers: standing }: StandingHeaders): Buffer {
  const json = Buffer.from(reply.body);
  const blanks = Math.max(0, COLLECTED_BYTES - json.length);
  const headers = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'private, no-store'],
    ['Connection', 'close'],
    ['Content-Length', String(json.length + blanks + LINE_END.length)],
    ['Date', new Date().toUTCString()],
    ...standing,
    ...(reply.headers ?? []),
  ];
  const lines = [reply.status, ...headers.map((header) => header.join(': ')), '', ''];
  return Buffer.concat([Buffer.from(lines.join(LINE_END)), json, Buffer.alloc(blanks, ' ')]);
}

/** Tests whether an answer can be sent this way: short JSON. */
export const canBeLast = ({ body, contentType, isHead }: HttpReply): boolean =>
  body.length > 0 && body.length <= LONGEST && contentType === undefined && isHead !== true;

const LONGEST = 64 * 1024;
