import type { Socket } from 'node:net';
import { Packr } from 'msgpackr';

/**
 * A stream of frames between two processes of the server. Frames arrive whole and in order. All
 * frames of one turn of the event loop leave in one write: waking the other process costs more than
 * what is in the write (docs/decisions/0221).
 */
export interface FrameStream<Sent> {
  send(frame: Sent): void;
  /** The bytes that the other side has not taken. */
  unsentBytes(): number;
  /** Writes what is left, and ends the stream. */
  end(): void;
}

export interface StreamInput<Received> {
  readonly onFrame: (frame: Received) => void;
  /** The other side has ended, or what it sent is none of its frames: the stream is closed. */
  readonly onEnd: (error: Error | null) => void;
}

const packr = new Packr({ useRecords: false, moreTypes: false });

/** Each write is the length of the rest in four bytes, and a list of frames. */
const HEAD_BYTES = 4;
/** No turn sends as much: a larger length means that the stream is broken. */
const WRITE_BYTES_MAX = 1024 * 1024 * 1024;

export function openStream<Sent, Received>(
  socket: Socket,
  { onFrame, onEnd }: StreamInput<Received>,
): FrameStream<Sent> {
  let turn: Sent[] = [];
  let isEnded = false;

  function end(error: Error | null) {
    if (isEnded) return;
    isEnded = true;
    socket.destroy();
    onEnd(error);
  }

  function write() {
    if (turn.length === 0 || isEnded) return;
    const frames = turn;
    turn = [];
    const body = packr.pack(frames);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(body.length);
    socket.cork();
    socket.write(head);
    socket.write(body);
    socket.uncork();
  }

  const take = openReader((frames) => {
    for (const frame of frames as Received[]) onFrame(frame); // what `write` of the other side sent
  });
  socket.on('data', (chunk) => {
    try {
      take(chunk);
    } catch (error) {
      end(error as Error);
    }
  });
  socket.on('error', (error) => end(error));
  socket.on('close', () => end(null));

  return {
    send(frame) {
      if (turn.push(frame) === 1) setImmediate(write);
    },
    unsentBytes: () => socket.writableLength,
    end() {
      write();
      socket.end();
    },
  };
}

/** Returns what takes the chunks of a stream as they come, and hands on the lists of frames. */
function openReader(onFrames: (frames: unknown[]) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = HEAD_BYTES;
  let isHead = true;

  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    while (bytes.length >= wanted) {
      const part = bytes.subarray(0, wanted);
      bytes = bytes.subarray(wanted);
      if (isHead) wanted = lengthIn(part);
      else {
        onFrames(packr.unpack(part) as unknown[]);
        wanted = HEAD_BYTES;
      }
      isHead = !isHead;
    }
    chunks = [bytes];
    held = bytes.length;
  };
}

function lengthIn(head: Buffer): number {
  const length = head.readUInt32LE();
  if (length === 0 || length > WRITE_BYTES_MAX) throw new Error(`a write has ${length} bytes`);
  return length;
}
