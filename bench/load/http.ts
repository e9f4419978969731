import type { Socket } from 'node:net';
import { type Address, openStream, wholeUnits } from './stream.ts';

/** The body lies in `bytes` from `start` to `end`, and is valid only until the callback returns. */
export interface HttpReply {
  readonly status: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Gets the reply, or undefined when the connection closed before it came. */
type OnReply = (reply: HttpReply | undefined) => void;

export interface HttpConnection {
  /** One request at a time; a connection that died is opened again by the next request. */
  readonly send: (request: string, onReply: OnReply) => void;
  readonly close: () => void;
}

/** HTTP/1.1 with keep-alive and without pipelining, for replies with a Content-Length. */
export function openHttp(address: Address): HttpConnection {
  let socket: Socket | undefined;
  let waiting: OnReply | undefined;

  const settle = (reply: HttpReply | undefined) => {
    const onReply = waiting;
    waiting = undefined;
    onReply?.(reply);
  };
  const open = (): Socket => {
    const opened = openStream(address, {
      bytes: replyReader(settle),
      closed: () => {
        if (socket !== opened) return;
        socket = undefined;
        settle(undefined);
      },
    });
    return opened;
  };

  return {
    send: (request, onReply) => {
      if (waiting !== undefined) throw new Error('a request is already under way');
      waiting = onReply;
      socket ??= open();
      socket.write(request);
    },
    close: () => {
      const closing = socket;
      socket = undefined;
      waiting = undefined;
      closing?.destroy();
    },
  };
}

interface ReplyHead {
  readonly bytes: Buffer;
  readonly status: number;
  readonly bodyLength: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

function replyReader(onReply: (reply: HttpReply) => void): (buffer: Buffer, end: number) => void {
  // Successive replies of one connection have mostly the same head, which is then not parsed.
  let known: ReplyHead | undefined;

  return wholeUnits((bytes, start, end) => {
    let at = start;
    while (at < end) {
      const head = startsWith(bytes, at, end, known) ? known : parseHead(bytes, at, end);
      if (head === undefined) break;
      known = head;
      const bodyStart = at + head.bytes.length;
      const bodyEnd = bodyStart + head.bodyLength;
      if (bodyEnd > end) break;
      at = bodyEnd;
      onReply({ status: head.status, bytes, start: bodyStart, end: bodyEnd });
    }
    return at;
  });
}

function startsWith(
  bytes: Buffer,
  start: number,
  end: number,
  head: ReplyHead | undefined,
): head is ReplyHead {
  if (head === undefined || start + head.bytes.length > end) return false;
  return head.bytes.compare(bytes, start, start + head.bytes.length) === 0;
}

function parseHead(bytes: Buffer, start: number, end: number): ReplyHead | undefined {
  const blankLine = bytes.indexOf(HEAD_END, start);
  const headEnd = blankLine + HEAD_END.length;
  if (blankLine === -1 || headEnd > end) return undefined;
  const text = bytes.toString('latin1', start, headEnd);
  const status = Number(text.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error(`a reply without Content-Length: ${text}`);
  return {
    bytes: Buffer.from(bytes.subarray(start, headEnd)),
    status,
    bodyLength: Number(length),
  };
}

/** Connections that requests share, each request taking an idle one or waiting for its turn. */
export interface HttpPool {
  readonly send: (request: string, onReply: OnReply) => void;
  readonly close: () => void;
}

export function openPool(address: Address, size: number): HttpPool {
  const idle = Array.from({ length: size }, () => openHttp(address));
  const all = [...idle];
  const queue: { readonly request: string; readonly onReply: OnReply }[] = [];

  const sendOn = (connection: HttpConnection, request: string, onReply: OnReply) => {
    connection.send(request, (reply) => {
      const next = queue.shift();
      if (next === undefined) idle.push(connection);
      else sendOn(connection, next.request, next.onReply);
      onReply(reply);
    });
  };

  return {
    send: (request, onReply) => {
      const connection = idle.pop();
      if (connection === undefined) queue.push({ request, onReply });
      else sendOn(connection, request, onReply);
    },
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}
