import type { ClientRequest } from 'node:http';
import { SMALL_BODY_BYTES_MAX } from '../../domain/limits/requests.ts';
import type { HttpResponse } from '../../transport/library/sockets.ts';
import { type Head, hasBody } from '../../transport/request-head.ts';

/** The body of a request that is passed on. */
export interface PassedBody {
  /** True once all of it is held here, so that it can be sent again. */
  isHeld(): boolean;
  /** Sends it: what has come, and then what comes. */
  sendTo(asked: ClientRequest): void;
}

/**
 * Holds a short body until all of it has come, so that it can be sent again; a long one is sent as
 * it comes, as fast as the other node takes it. Calls `ready` when there is something to send.
 */
export function readPassedBody(
  res: HttpResponse,
  { headers }: Head,
  { isOpen, ready }: { readonly isOpen: () => boolean; readonly ready: () => void },
): PassedBody {
  const { contentLength } = headers;
  const announced = contentLength === null ? Number.POSITIVE_INFINITY : Number(contentLength);
  if (!hasBody(headers)) {
    queueMicrotask(ready);
    return { isHeld: () => true, sendTo: (asked) => void asked.end() };
  }
  if (announced <= SMALL_BODY_BYTES_MAX) return heldBody(res, ready);
  queueMicrotask(ready);
  return { isHeld: () => false, sendTo: (asked) => stream(res, asked, isOpen) };
}

function heldBody(res: HttpResponse, ready: () => void): PassedBody {
  const chunks: Buffer[] = [];
  let isWhole = false;
  res.onData((chunk, isLast) => {
    // The library takes the bytes back when this returns.
    chunks.push(Buffer.from(new Uint8Array(chunk)));
    isWhole = isLast;
    if (isLast) ready();
  });
  return { isHeld: () => isWhole, sendTo: (asked) => void asked.end(Buffer.concat(chunks)) };
}

function stream(res: HttpResponse, asked: ClientRequest, isOpen: () => boolean) {
  res.onData((chunk, isLast) => {
    const bytes = Buffer.from(new Uint8Array(chunk));
    if (isLast) return void asked.end(bytes);
    if (asked.write(bytes)) return;
    res.pause();
    asked.once('drain', () => {
      if (isOpen()) res.resume();
    });
  });
}
