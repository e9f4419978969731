import type { HttpResponse } from './sockets.ts';

export interface HttpReply {
  readonly status: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  /** JSON where it is not said. */
  readonly contentType?: string;
  /** Kept by nobody where it is not said. */
  readonly cacheControl?: string;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
}

/**
 * The only code that touches an `HttpResponse`. It is dead once the client has gone or it has been ended; everything
 * here may be called at any time, and does nothing then. A class, because one is made for every request: closures would
 * be half of what a parked poll costs.
 */
export class HttpExchange {
  private res: HttpResponse | null;
  private gone: (() => void) | null = null;

  constructor(res: HttpResponse) {
    this.res = res;
    res.onAborted(() => {
      this.res = null;
      const { gone } = this;
      this.gone = null;
      gone?.();
    });
  }

  isOpen(): boolean {
    return this.res !== null;
  }

  /** Calls back when the client goes away before it is answered; the last callback counts. */
  onGone(callback: () => void) {
    this.gone = callback;
  }

  /** Ends the response. */
  end(reply: HttpReply) {
    const { res } = this;
    if (res === null) return;
    this.res = null;
    this.gone = null;
    res.cork(() => write(res, reply));
  }

  /** Ends the response with this JSON and status 200, which is what nearly every answer is. */
  endWithJson(body: string) {
    const { res } = this;
    if (res === null) return;
    this.res = null;
    this.gone = null;
    answered = res;
    answer = body;
    res.cork(writeJson);
  }

  /** Hands over the body, copied, when it is whole; `tooLarge` as soon as it is over the bound. */
  onBody(bytesMax: number, whole: (body: Buffer) => void, tooLarge: () => void) {
    if (this.res !== null) collect(this.res, { bytesMax, whole, tooLarge });
  }
}

/** What `writeJson` writes: the library calls it before `cork` returns, and no closure is made for each answer. */
let answered: HttpResponse;
let answer: string;

/**
 * Every answer has these two headers, and writing a header is a call into the library that costs as much as looking up
 * the account. So both are one call, as the bytes they are.
 */
const FIRST_HEADER = Buffer.from('Content-Type');
const BOTH_HEADERS = Buffer.from('application/json\r\nCache-Control: private, no-store');

/** Corked, so that status, headers and body are one write. */
function writeJson() {
  answered.writeHeader(FIRST_HEADER, BOTH_HEADERS);
  answered.end(answer);
}

function write(
  res: HttpResponse,
  {
    status,
    headers = [],
    body,
    contentType,
    cacheControl = 'private, no-store',
    closesConnection,
    isHead,
  }: HttpReply,
) {
  res.writeStatus(status);
  if (body !== '') res.writeHeader('Content-Type', contentType ?? 'application/json');
  res.writeHeader('Cache-Control', cacheControl);
  for (const [name, value] of headers) res.writeHeader(name, value);
  if (isHead) {
    // Given the length, the library takes the answer for unfinished and cuts off the connection at its next request.
    res.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    res.endWithoutBody();
  } else res.end(body, closesConnection);
}

interface Collecting {
  readonly bytesMax: number;
  readonly whole: (body: Buffer) => void;
  readonly tooLarge: () => void;
}

/** Chunks are neutered when the callback returns, so each is copied. */
function collect(res: HttpResponse, { bytesMax, whole, tooLarge }: Collecting) {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  res.onData((chunk, isLast) => {
    if (isOver) return;
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      isOver = true;
      chunks = [];
      tooLarge();
      return;
    }
    const copy = Buffer.from(new Uint8Array(chunk));
    if (!isLast) chunks.push(copy);
    else whole(chunks.length === 0 ? copy : Buffer.concat([...chunks, copy]));
  });
}
