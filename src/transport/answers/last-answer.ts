import type { HttpReply } from './http-reply.ts';
import type { StandingHeaders } from './standing-headers.ts';

/**
 * What the library collects while it takes a segment apart. It hands on what does not fit at once, and throws away the rest
 * where the connection ends before the segment does.
 */
const COLLECTED_BYTES = 16 * 1024;
/** The library ends the status line with it; here it is the end of the body, where JSON may have blanks. */
const LINE_END = '\r\n';

/** How long an answer has to arrive before its connection is closed: bytes that nobody reads any more would take it back. */
export const LAST_ANSWER_MS = 250;

/**
 * An answer of JSON, as all its bytes, to be handed over as if it were the status line: to the library the request is not
 * answered then, so that it ends the connection with whatever was sent behind it instead of running that. Blanks make it
 * longer than what the library collects.
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

/** Whether an answer can be given so: JSON that is taken at once. */
export const canBeLast = ({ body, contentType, isHead }: HttpReply): boolean =>
  body.length > 0 && body.length <= LONGEST && contentType === undefined && isHead !== true;

const LONGEST = 64 * 1024;
