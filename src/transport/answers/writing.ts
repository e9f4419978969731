import type { Trace } from '../../endpoints/tracing.ts';
import type { HttpResponse } from '../library/sockets.ts';
import type { HttpReply, StreamedReply } from './http-reply.ts';
import type { StandingHeaders } from './standing-headers.ts';

/** The parts of an answer that do not depend on what is answered. */
export interface Common {
  readonly standing: StandingHeaders;
  /** The id of the request, if its answer is to name it. */
  readonly trace: Pick<Trace, 'requestId'> | null;
}

/** Writes an answer whole; called within a cork. */
export function writeReply(res: HttpResponse, reply: HttpReply, common: Common) {
  const { status, body, closesConnection = common.standing.connections.areEnding, isHead } = reply;
  writeFields(res, withContentType(reply), common);
  if (isHead) {
    // With a length, the library would take the answer for unfinished and close the connection at
    // its next request.
    res.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    endWithoutBody(res, closesConnection);
  } else if (status.startsWith('304')) {
    // The library would send a length of 0, which clients take for the length of their copy.
    endWithoutBody(res, closesConnection);
  } else res.end(body, closesConnection);
}

/** Ends with the header by which the library also ends the connection. */
function endWithoutBody(res: HttpResponse, closesConnection: boolean) {
  if (closesConnection) res.endWithoutBody(undefined, true);
  else res.endWithoutBody();
}

/**
 * Writes the head of an answer whose body is sent in parts. The library cannot be told that the
 * connection ends with it, so the client is: the process ends it otherwise.
 */
export function writeHead(res: HttpResponse, reply: StreamedReply, common: Common) {
  writeFields(res, reply, common);
  if (common.standing.connections.areEnding) res.writeHeader('Connection', 'close');
}

function writeFields(
  res: HttpResponse,
  { status, headers = [], contentType, cacheControl = 'private, no-store' }: StreamedReply,
  { standing, trace }: Common,
) {
  res.writeStatus(status);
  if (contentType !== undefined) res.writeHeader('Content-Type', contentType);
  res.writeHeader('Cache-Control', cacheControl);
  for (const [name, value] of standing.headers) res.writeHeader(name, value);
  for (const [name, value] of headers) res.writeHeader(name, value);
  if (trace !== null) res.writeHeader(...idHeader(trace));
}

/** The header by which an answer names its request. */
export const idHeader = ({ requestId }: Pick<Trace, 'requestId'>) =>
  ['X-Request-Id', requestId] as const;

/** Adds the content type that an answer has by default. */
export function withContentType(reply: HttpReply): HttpReply {
  const { contentType = reply.body === '' ? undefined : 'application/json', ...others } = reply;
  return contentType === undefined ? others : { ...others, contentType };
}

/**
 * The arguments of `writeWhole`: the library calls it before `cork` returns, so no closure is made
 * for each answer.
 */
let answered: HttpResponse;
let head: Uint8Array;
let body: string | Uint8Array;

/** Writes an answer whose status line and headers are encoded, in one write. */
export function writeEncoded(
  res: HttpResponse,
  encodedHead: Uint8Array,
  text: string | Uint8Array,
) {
  answered = res;
  head = encodedHead;
  body = text;
  res.cork(writeWhole);
}

function writeWhole() {
  answered.writeStatus(head);
  answered.end(body);
}
