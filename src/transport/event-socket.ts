import { SOCKET_BACKPRESSURE_BYTES_MAX, SOCKET_FRAME_BYTES_MAX } from '../domain/limits/sockets.ts';
import { jsonOf } from '../domain/wire/encoded-list.ts';
import type { ApiRequest } from '../endpoints/dispatch/request.ts';
import type { Body } from '../endpoints/endpoint.ts';
import type { FrameWriter } from '../endpoints/events/frame-writer.ts';
import type { SocketOwner, SocketSession } from '../endpoints/events/socket-session.ts';
import { SOCKET_PATH } from '../endpoints/rate-limiter.ts';
import type { Consumer, Delivery, EncodedBatch } from '../events/delivery.ts';
import { packr } from '../events/msgpack.ts';
import { failure, type NoteBug, successBody } from './answers/reply.ts';
import type { Handshake } from './handshake.ts';
import type { WebSocket } from './library/sockets.ts';
import type { PassedSocket } from './passing.ts';

/** The reasons for closing a socket, by which the client decides what to do. */
const Close = {
  stopping: 1001,
  /** The counterpart of a 500. */
  bug: 1011,
  notAuthenticated: 4001,
  queueUnknown: 4002,
  replaced: 4003,
  tooSlow: 4008,
  tooLarge: 4009,
} as const;

/** A close frame has room for 123 bytes of reason (RFC 6455, 5.5); reasons here are ASCII. */
const CLOSE_REASON_LENGTH_MAX = 120;

/**
 * Clients that come while a realm is closed are told to come back after this time: it is mostly
 * open again by then.
 */
const RESTART_MS = 1_000;

/** The library keeps one with each socket. */
export interface SocketState {
  readonly isBinary: boolean;
  /** The handshake, until the socket has begun. */
  handshake: Handshake | null;
  /** True once it was waited for what others have told the client. */
  hasWaited: boolean;
  socket: EventSocket | null;
  /** The socket, if another process serves it; else null. */
  readonly passed: PassedSocket | null;
}

/** A socket, for operators. */
export interface OpenSocket extends SocketOwner {
  /** The bytes that the client has not taken, and for how long it has taken none of them. */
  readonly bufferedBytes: number;
  readonly stalledMs: number;
}

/** The library gathers up to this many bytes before it writes. */
const CORK_BUFFER_BYTES = 16 * 1024;

/**
 * The only code that touches a `WebSocket`. It is a class, because there may be tens of thousands
 * of them.
 */
export class EventSocket implements Consumer, FrameWriter {
  readonly takesOne = false;
  session: SocketSession | null = null;
  /** UNIX ms since when the client has taken nothing; 0 while its buffer is empty. */
  fullSince = 0;
  /** The code with which the server has closed it; 0 if it has not. */
  closedWith = 0;
  private isOpen = true;
  private unwritten: (string | Uint8Array)[] = [];
  private unwrittenLength = 0;
  private readonly ws: WebSocket<SocketState>;
  private readonly isBinary: boolean;
  private readonly full: Set<EventSocket>;
  private readonly onBug: NoteBug;

  constructor(ws: WebSocket<SocketState>, full: Set<EventSocket>, onBug: NoteBug) {
    this.ws = ws;
    this.isBinary = ws.getUserData().isBinary;
    this.full = full;
    this.onBug = onBug;
  }

  get consumer(): Consumer {
    return this;
  }

  /** Runs a callback of the library: an error in it is a bug, which must not reach the library. */
  guarded(act: (socket: EventSocket) => void) {
    try {
      act(this);
    } catch (error) {
      this.breakOff(error);
    }
  }

  private noteBug(error: unknown): string {
    return this.onBug(error, { method: 'GET', path: SOCKET_PATH });
  }

  /** Closes the socket after a bug, with a code at which the client comes back. */
  private breakOff(error: unknown) {
    this.noteBug(error);
    this.close(Close.bug, 'Internal server error');
  }

  /** Sends all frames of `act` in one write. */
  inOneWrite(act: () => void) {
    if (!this.isOpen) return;
    this.ws.cork(() => {
      act();
      this.writeOut();
    });
  }

  /** Closes a socket that may not begin, with the reason. */
  refuse(error: unknown) {
    const { body, isBug } = failure(error, () => this.noteBug(error));
    if (isBug) this.close(Close.bug, 'Internal server error');
    else if (body['code'] === 'SERVER_STOPPING') this.stopping(RESTART_MS);
    else this.close(Close.notAuthenticated, String(body['msg']));
  }

  deliver(batch: EncodedBatch): Delivery {
    if (!this.isOpen) return 'dropped';
    this.writeOut();
    const frames = this.isBinary ? batch.binaryFrames() : batch.textFrames();
    const [first] = frames;
    if (frames.length > 1 || first === undefined) return this.deliverSeveral(frames);
    const sent = this.ws.send(first, this.isBinary);
    if (sent === 1) return 'taken';
    this.noteFull();
    if (sent === 2) return 'dropped';
    return this.isHeldBack() ? 'full' : 'taken';
  }

  /**
   * Sends several frames in one write. If some are dropped, it is not known which, so the client
   * has to reconnect for them.
   */
  private deliverSeveral(frames: readonly Uint8Array[]): Delivery {
    const { ws, isBinary } = this;
    let isDropped = false;
    ws.cork(() => {
      for (const frame of frames) isDropped ||= ws.send(frame, isBinary) === 2;
    });
    if (isDropped) this.tooSlow();
    if (!this.isOpen || ws.getBufferedAmount() === 0) return 'taken';
    this.noteFull();
    return this.isHeldBack() ? 'full' : 'taken';
  }

  private noteFull() {
    if (this.fullSince > 0) return;
    this.fullSince = Date.now();
    this.full.add(this);
  }

  /** Returns undefined until the client's credentials were accepted. */
  describe(): OpenSocket | undefined {
    if (!this.isOpen || this.session === null) return undefined;
    return {
      ...this.session.describe(),
      bufferedBytes: this.fullSince === 0 ? 0 : this.ws.getBufferedAmount(),
      stalledMs: this.fullSince === 0 ? 0 : Date.now() - this.fullSince,
    };
  }

  private isHeldBack(): boolean {
    return this.ws.getBufferedAmount() > SOCKET_BACKPRESSURE_BYTES_MAX;
  }

  /** Called when a part of the held back bytes was taken; when all are, more may come. */
  drained() {
    if (this.fullSince === 0) return;
    this.fullSince = Date.now();
    if (this.ws.getBufferedAmount() > 0) return;
    this.fullSince = 0;
    this.full.delete(this);
    // This runs in a turn of its own: if bytes sent from here are only taken in part, the library
    // never sends the rest.
    setImmediate(() => {
      if (this.isOpen && this.fullSince === 0) this.guarded(() => this.session?.drained());
    });
  }

  receive(message: ArrayBuffer, isBinary: boolean) {
    const { session } = this;
    if (session === null) return;
    if (message.byteLength > SOCKET_FRAME_BYTES_MAX) {
      this.close(Close.tooLarge, `a frame has at most ${SOCKET_FRAME_BYTES_MAX} bytes`);
      return;
    }
    let frame: unknown;
    try {
      const bytes = Buffer.from(message);
      frame = isBinary ? packr.unpack(bytes) : JSON.parse(bytes.toString('utf8'));
    } catch {
      const msg = isBinary ? 'The frame is not msgpack' : 'The frame is not JSON';
      session.refuse(msg);
      return;
    }
    session.receive(frame, message.byteLength);
  }

  isFull(): boolean {
    return this.fullSince > 0 && this.isHeldBack();
  }

  tooSlow() {
    this.close(Close.tooSlow, 'come back and resume');
  }

  /**
   * Queues a frame. Frames that are sent in one go, such as the replies to all operations of one
   * commit, leave in one write.
   */
  send(frame: Readonly<Record<string, unknown>>) {
    if (!this.isOpen) return;
    const encoded = this.isBinary ? packr.pack(frame) : jsonOf(frame);
    this.unwrittenLength += encoded.length;
    if (this.unwritten.push(encoded) === 1) queueMicrotask(() => this.writeOut());
    if (this.unwrittenLength >= CORK_BUFFER_BYTES) this.writeOut();
  }

  private writeOut() {
    const { unwritten, ws, isBinary } = this;
    if (unwritten.length === 0) return;
    this.unwritten = [];
    this.unwrittenLength = 0;
    if (!this.isOpen) return;
    // 0 means that it waits in the buffer, 2 that it was dropped.
    let worst = 1;
    const write = () => {
      for (const frame of unwritten) {
        const sent = ws.send(frame, isBinary);
        if (sent !== 1 && worst !== 2) worst = sent;
      }
    };
    if (unwritten.length === 1) write();
    else ws.cork(write);
    if (worst === 1 && ws.getBufferedAmount() === 0) return;
    this.noteFull();
    // The client would wait in vain for a dropped reply.
    if (worst === 2) this.tooSlow();
  }

  success(body: object, ignored: readonly string[]) {
    return successBody(body as Body, ignored);
  }

  failure(error: unknown, request: ApiRequest) {
    return failure(error, () => this.onBug(error, request));
  }

  replaced() {
    this.close(Close.replaced, 'a newer consumer took over');
  }

  ended(why: 'queue gone' | 'account gone') {
    if (why === 'queue gone') this.close(Close.queueUnknown, 'the queue has ended');
    else this.close(Close.notAuthenticated, 'the account is deactivated');
  }

  stopping(retryAfterMs: number) {
    this.close(Close.stopping, JSON.stringify({ retry_after_ms: retryAfterMs }));
  }

  close(code: number, reason: string) {
    this.writeOut();
    if (!this.isOpen) return;
    this.closedWith = code;
    this.ws.end(code, reason.slice(0, CLOSE_REASON_LENGTH_MAX));
  }

  /** Called when the library has closed the socket: nothing more may be written. */
  gone() {
    this.isOpen = false;
    this.full.delete(this);
    this.session?.gone();
  }
}
