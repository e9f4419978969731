import type { RequestHost } from '../domain/request-host.ts';
import { addressOf } from './connections/addresses.ts';
import { asForwarded, type Forwarded } from './connections/forwarding.ts';
import type { HttpRequest, HttpResponse, WebSocket } from './library/sockets.ts';
import { type Head, isTooLarge, readHead } from './request-head.ts';

/** A request that another process answers, copied before the library takes it back. */
export interface PassedRequest {
  readonly head: Head;
  /** All its headers, their names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The client's address, in the form that limits count. */
  readonly address: string;
  /** Null where only the listener knows. */
  readonly isTls: boolean | null;
}

/** The client's side of a socket that another process serves. */
export interface PassedSocket {
  /** The socket is open. */
  begin(ws: WebSocket<unknown>): void;
  receive(message: ArrayBuffer, isBinary: boolean): void;
  /** The client has taken some of what waited for it. */
  drained(): void;
  gone(): void;
}

/** Hands over to other processes what they serve. */
export interface Passing {
  /** Returns false while this process serves everything. */
  isNeeded(): boolean;
  /** Tells whether another process serves the realm that a host means. */
  isElsewhere(host: RequestHost): boolean;
  /** Answers the request in the end; nobody else touches the response from here on. */
  request(res: HttpResponse, request: PassedRequest): void;
  socket(request: PassedRequest, protocol: string): PassedSocket;
}

interface Came {
  readonly res: HttpResponse;
  readonly req: HttpRequest;
  readonly forwarded: Forwarded | null;
}

/** Returns a request that is to be passed on; undefined for one that is answered here. */
export function passedRequest(
  passing: Passing,
  { res, req, forwarded }: Came,
): PassedRequest | undefined {
  const head = asForwarded(readHead(req), forwarded);
  // What cannot be read safely is refused here.
  if (head.headers.fault !== null) return undefined;
  if (isTooLarge(head.headers.bytes, head.url, head.query)) return undefined;
  if (!passing.isElsewhere(head.headers.host)) return undefined;
  const headers: [string, string][] = [];
  req.forEach((name, value) => void headers.push([name, value]));
  return {
    head,
    headers,
    address: forwarded?.address || addressOf(res),
    isTls: forwarded?.isTls ?? null,
  };
}
