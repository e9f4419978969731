import type { HttpResponse } from './sockets.ts';

/**
 * The only code that touches an `HttpResponse`. It is dead once the client has gone or it has been ended; everything
 * here may be called at any time, and does nothing then.
 */
export interface HttpExchange {
  isOpen(): boolean;
  /** Ends the response. `type` is left out for an empty body. */
  end(reply: HttpReply): void;
  onGone(callback: () => void): void;
  /** Hands over the body, copied, when it is whole; `tooLarge` as soon as it is over the bound. */
  onBody(bytesMax: number, whole: (body: Buffer) => void, tooLarge: () => void): void;
}

export interface HttpReply {
  readonly status: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body: string;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
}

export function openExchange(res: HttpResponse): HttpExchange {
  let isOpen = true;
  let callbacks: (() => void)[] = [];
  res.onAborted(() => {
    isOpen = false;
    const gone = callbacks;
    callbacks = [];
    for (const callback of gone) callback();
  });
  return {
    isOpen: () => isOpen,
    onGone(callback) {
      callbacks.push(callback);
    },
    end(reply) {
      if (!isOpen) return;
      isOpen = false;
      callbacks = [];
      res.cork(() => write(res, reply));
    },
    onBody: (bytesMax, whole, tooLarge) => collect(res, { bytesMax, whole, tooLarge }),
  };
}

function write(
  res: HttpResponse,
  { status, headers = [], body, closesConnection, isHead }: HttpReply,
) {
  res.writeStatus(status);
  if (body !== '') res.writeHeader('Content-Type', 'application/json');
  res.writeHeader('Cache-Control', 'private, no-store');
  for (const [name, value] of headers) res.writeHeader(name, value);
  if (isHead) res.endWithoutBody(Buffer.byteLength(body), closesConnection);
  else res.end(body, closesConnection);
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
