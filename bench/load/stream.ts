import { connect, type Socket } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `bytes` is handed a buffer that is valid only until it returns: copy what must stay. */
interface StreamEvents {
  readonly bytes: (buffer: Buffer, end: number) => void;
  readonly closed: (reason: string) => void;
  readonly connected?: () => void;
}

// One read is at most what libuv offers at once (64 KB); a larger buffer would not be filled.
const READ_BYTES_MAX = 64 * 1024;

// All connections read into the same memory. Reading and handling are one synchronous step, so
// no read overwrites another; a buffer per read would make the generator the limit.
const sharedBuffer = Buffer.allocUnsafe(READ_BYTES_MAX);

/** A TCP connection that hands out its bytes without allocating for each read. */
export function openStream({ host, port }: Address, on: StreamEvents): Socket {
  let reason = 'closed by the server';
  const socket = connect({
    host,
    port,
    noDelay: true,
    onread: {
      buffer: sharedBuffer,
      callback: (length) => {
        on.bytes(sharedBuffer, length);
        return true;
      },
    },
  });
  socket.on('connect', () => on.connected?.());
  socket.on('error', (error) => {
    reason = error.message;
  });
  socket.on('close', () => on.closed(reason));
  return socket;
}

/**
 * Turns reads into whole units. `take` is told where unread bytes start and end and answers where
 * the next unread byte is; what it leaves is kept and offered again in front of the next read.
 */
export function wholeUnits(
  take: (bytes: Buffer, start: number, end: number) => number,
): (buffer: Buffer, length: number) => void {
  let rest: Buffer | undefined;
  let restLength = 0;
  return (buffer, length) => {
    let bytes = buffer;
    let end = length;
    if (rest !== undefined) {
      end = restLength + length;
      bytes = withRoom(rest, restLength, end);
      buffer.copy(bytes, restLength, 0, length);
    }
    const next = take(bytes, 0, end);
    restLength = end - next;
    if (restLength === 0) rest = undefined;
    else if (next === 0 && bytes !== buffer) rest = bytes;
    // A copy, because the memory of the read is used again by the next one.
    else rest = Buffer.from(bytes.subarray(next, end));
  };
}

/**
 * Grows to twice its length at least, so that a unit of many reads is not copied with each of them.
 */
function withRoom(rest: Buffer, restLength: number, needed: number): Buffer {
  if (needed <= rest.length) return rest;
  const larger = Buffer.allocUnsafe(Math.max(needed, 2 * rest.length));
  rest.copy(larger, 0, 0, restLength);
  return larger;
}
