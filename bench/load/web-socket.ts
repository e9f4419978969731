import { createHash, randomBytes } from 'node:crypto';
import { type Address, openStream, wholeUnits } from './stream.ts';

/** `message` hands out the place of a payload, text or not, valid only until it returns. */
interface WebSocketEvents {
  readonly open: () => void;
  readonly message: (bytes: Buffer, start: number, end: number) => void;
  /** The code and reason of a close frame, or 1006 with what went wrong. */
  readonly closed: (code: number, reason: string) => void;
}

interface WebSocketTarget {
  readonly address: Address;
  /** By which name the server is asked, where that is not its address. */
  readonly host?: Address;
  /** Query included. */
  readonly path: string;
  readonly authorization?: string;
  readonly subprotocol?: string;
}

export interface WebSocketClient {
  readonly send: (text: string) => void;
  readonly sendBinary: (bytes: Uint8Array) => void;
  /** Reads nothing until it resumes. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const CLOSED_ABNORMALLY = 1006;
// RFC 6455, section 1.3: the constant that proves the server understood the handshake.
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A client that does no more than the benchmarks need, so that 1,000 of them cost little. */
export function openWebSocket(target: WebSocketTarget, on: WebSocketEvents): WebSocketClient {
  const key = randomBytes(16).toString('base64');
  let isOpen = false;
  let code = CLOSED_ABNORMALLY;
  let reason = '';

  const frames = frameReader({
    message: on.message,
    ping: (payload) => socket.write(maskedFrame(PONG, payload)),
    close: (closeCode, closeReason) => {
      code = closeCode;
      reason = closeReason;
      socket.end(maskedFrame(CLOSE, Buffer.from([closeCode >> 8, closeCode & 255])));
    },
  });
  const take = (bytes: Buffer, start: number, end: number): number => {
    if (isOpen) return frames(bytes, start, end);
    const headEnd = handshakeEnd(bytes, start, end, key);
    if (headEnd === undefined) return start;
    if (typeof headEnd === 'string') {
      reason = headEnd;
      socket.destroy();
      return end;
    }
    isOpen = true;
    on.open();
    return frames(bytes, headEnd, end);
  };

  const socket = openStream(target.address, {
    bytes: wholeUnits(take),
    connected: () => socket.write(handshake(target, key)),
    closed: (streamReason) => on.closed(code, reason || streamReason),
  });
  return {
    send: (text) => socket.write(maskedFrame(TEXT, Buffer.from(text))),
    sendBinary: (bytes) => socket.write(maskedFrame(BINARY, Buffer.from(bytes))),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroy(),
  };
}

function handshake(target: WebSocketTarget, key: string) {
  const { address, host = address, path, authorization, subprotocol } = target;
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host.host}:${host.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ];
  if (subprotocol !== undefined) head.push(`Sec-WebSocket-Protocol: ${subprotocol}`);
  if (authorization !== undefined) head.push(`Authorization: ${authorization}`);
  return `${head.join('\r\n')}\r\n\r\n`;
}

/**
 * Returns the end of the response's head, undefined while it is incomplete, or why it is refused.
 */
function handshakeEnd(
  bytes: Buffer,
  start: number,
  end: number,
  key: string,
): number | string | undefined {
  const blankLine = bytes.subarray(start, end).indexOf('\r\n\r\n');
  if (blankLine === -1) return undefined;
  const headEnd = start + blankLine + 4;
  const head = bytes.toString('latin1', start, headEnd);
  if (!head.startsWith('HTTP/1.1 101 ')) {
    return `not upgraded: ${bytes.toString('utf8', start, end).slice(0, 500)}`;
  }
  const accepted = createHash('sha1')
    .update(key + HANDSHAKE_GUID)
    .digest('base64');
  const answer = /\r\nsec-websocket-accept: *(\S+)/i.exec(head)?.[1];
  return answer === accepted ? headEnd : 'the handshake was answered with a wrong proof';
}

interface FrameEvents {
  readonly message: (bytes: Buffer, start: number, end: number) => void;
  readonly ping: (payload: Buffer) => void;
  readonly close: (code: number, reason: string) => void;
}

function frameReader(on: FrameEvents): (bytes: Buffer, start: number, end: number) => number {
  let parts: Buffer[] = [];

  const control = (opcode: number, payload: Buffer) => {
    if (opcode === PING) on.ping(payload);
    else if (opcode === CLOSE) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      on.close(code, payload.toString('utf8', 2));
    }
  };
  const data = (bytes: Buffer, start: number, end: number, isLast: boolean) => {
    if (isLast && parts.length === 0) return on.message(bytes, start, end);
    parts.push(Buffer.from(bytes.subarray(start, end)));
    if (!isLast) return;
    const whole = Buffer.concat(parts);
    parts = [];
    on.message(whole, 0, whole.length);
  };

  return (bytes, start, end) => {
    let at = start;
    while (end - at >= 2) {
      const first = bytes.readUInt8(at);
      const second = bytes.readUInt8(at + 1);
      const headLength = second === 127 ? 10 : second === 126 ? 4 : 2;
      if (end - at < headLength) break;
      const length = payloadLength(bytes, at, second);
      const payloadStart = at + headLength;
      const payloadEnd = payloadStart + length;
      if (payloadEnd > end) break;
      at = payloadEnd;
      const opcode = first & 15;
      if (opcode === CONTINUATION || opcode === TEXT || opcode === BINARY) {
        data(bytes, payloadStart, payloadEnd, (first & 128) !== 0);
      } else {
        control(opcode, Buffer.from(bytes.subarray(payloadStart, payloadEnd)));
      }
    }
    return at;
  };
}

function payloadLength(bytes: Buffer, at: number, second: number): number {
  if (second === 126) return bytes.readUInt16BE(at + 2);
  if (second === 127) return Number(bytes.readBigUInt64BE(at + 2));
  if (second > 127) throw new Error('a server must not mask its frames');
  return second;
}

/** Clients must mask; a constant key is as good as a random one where nobody is attacked. */
function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const mask = [0x5a, 0xa5, 0x3c, 0xc3] as const;
  const head = frameHead(opcode, payload.length);
  const frame = Buffer.concat([head, Buffer.from(mask), payload]);
  for (let at = head.length + 4, index = 0; at < frame.length; at++, index++) {
    frame.writeUInt8(frame.readUInt8(at) ^ (mask[index & 3] ?? 0), at);
  }
  return frame;
}

function frameHead(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([128 | opcode, 128 | length]);
  if (length > 0xffff) throw new Error('a client frame of the benchmarks fits in 64 KB');
  return Buffer.from([128 | opcode, 128 | 126, length >> 8, length & 255]);
}
