import { jsonOf } from '../domain/encoded-list.ts';
import {
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_FRAME_BYTES_MAX,
  SOCKET_STALLED_MS_MAX,
} from '../domain/limits.ts';
import { type Admit, refuseTooMany, SOCKET_PATH } from '../endpoints/admission.ts';
import type { Call, Deployment, Dispatch } from '../endpoints/dispatch.ts';
import type { Body } from '../endpoints/endpoint.ts';
import {
  openSession,
  type SocketLine,
  type SocketSession,
} from '../endpoints/events/socket-session.ts';
import type { Allowance } from '../endpoints/request-rate.ts';
import type { Consumer, Delivery, EventRun } from '../events/delivery.ts';
import { packr } from '../events/msgpack.ts';
import { addressOf } from './addresses.ts';
import { openArrivals } from './arrivals.ts';
import { HttpExchange } from './exchange.ts';
import { API_PREFIX } from './http.ts';
import { failure, headersOf, statusLine, successBody } from './reply.ts';
import { readHead } from './request-head.ts';
import {
  DISABLED,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_socket_context_t,
  type WebSocket,
} from './sockets.ts';

/** Why a socket was closed, for the client to tell what to do (design, section 6). */
const Close = {
  stopping: 1001,
  /** What a WebSocket has instead of a 500. */
  bug: 1011,
  notAuthenticated: 4001,
  queueUnknown: 4002,
  replaced: 4003,
  tooSlow: 4008,
  tooLarge: 4009,
} as const;

const JSON_PROTOCOL = 'chat.v1.json';
const MSGPACK_PROTOCOL = 'chat.v1.msgpack';
const CREDENTIALS_PROTOCOL = 'auth.basic.';
/** The library cuts a longer frame off without a word; up to here the client is told. */
const HARD_FRAME_BYTES_MAX = 4 * SOCKET_FRAME_BYTES_MAX;
/** Pings keep the connection; without an answer for so long it is dead. */
const SILENCE_SECONDS_MAX = 120;
const STALL_CHECK_MS = 5_000;
/** A reply must not be dropped, so the library's bound is above the one at which events are held back. */
const BUFFER_BYTES_MAX = 16 * 1024 * 1024;

/** A close frame has room for 123 bytes of reason (RFC 6455, 5.5); reasons here are ASCII. */
const CLOSE_REASON_LENGTH_MAX = 120;

interface SocketState {
  readonly isBinary: boolean;
  /** From the upgrade until the socket has begun. */
  start: Start | null;
  socket: EventSocket | null;
}

interface Start {
  readonly host: string;
  readonly authorization: string;
  readonly userAgent: string;
  readonly address: string;
  readonly query: string;
}

export interface SocketsInput {
  readonly deployment: Deployment;
  readonly dispatch: Dispatch;
  readonly admit: Admit | null;
  /** Origins that browsers may connect from; null allows all. */
  readonly allowedOrigins: readonly string[] | null;
  readonly onBug: (error: unknown, call: { method: string; path: string }) => void;
}

export interface EventSockets {
  /** Closes every socket that serves no queue; the others are closed through their queues. */
  closeAll(retryAfterMs: () => number): void;
}

/** `GET /api/v1/events/socket`. */
export function mountSockets(app: TemplatedApp, input: SocketsInput): EventSockets {
  const sockets = new Set<EventSocket>();
  const full = new Set<EventSocket>();
  const arrivals = openArrivals<SocketState>((state) => begin(state, input));
  const stallCheck = setInterval(() => closeStalled(full), STALL_CHECK_MS);
  stallCheck.unref();

  app.ws<SocketState>(`${API_PREFIX}${SOCKET_PATH}`, {
    compression: DISABLED,
    maxPayloadLength: HARD_FRAME_BYTES_MAX,
    maxBackpressure: BUFFER_BYTES_MAX,
    idleTimeout: SILENCE_SECONDS_MAX,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => upgrade(res, { req, context, input }),
    open(ws) {
      const socket = new EventSocket(ws, full, input.onBug);
      sockets.add(socket);
      const state = ws.getUserData();
      state.socket = socket;
      arrivals.add(state);
    },
    message(ws, message, isBinary) {
      const state = ws.getUserData();
      begin(state, input);
      state.socket?.receive(message, isBinary);
    },
    drain: (ws) => ws.getUserData().socket?.drained(),
    close(ws) {
      const state = ws.getUserData();
      state.start = null;
      const { socket } = state;
      if (socket === null) return;
      sockets.delete(socket);
      socket.gone();
    },
  });
  return {
    closeAll(retryAfterMs) {
      clearInterval(stallCheck);
      for (const socket of [...sockets]) socket.stopping(retryAfterMs());
    },
  };
}

interface Upgrading {
  readonly req: HttpRequest;
  readonly context: us_socket_context_t;
  readonly input: SocketsInput;
}

/** In one synchronous step; credentials are judged when it is open, so that a browser is told why. */
function upgrade(res: HttpResponse, { req, context, input }: Upgrading) {
  const { headers, query } = readHead(req);
  const origin = req.getHeader('origin');
  const key = req.getHeader('sec-websocket-key');
  const extensions = req.getHeader('sec-websocket-extensions');
  const offered = req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim());
  const protocol = offered.find((name) => name === JSON_PROTOCOL || name === MSGPACK_PROTOCOL);
  const isForeign =
    origin !== '' && input.allowedOrigins !== null && !input.allowedOrigins.includes(origin);
  if (headers.fault !== null || isForeign) {
    const msg = headers.fault ?? 'This origin may not connect';
    const body = JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST' });
    new HttpExchange(res).end({
      status: statusLine(isForeign ? 403 : 400),
      body: `${body}\n`,
      closesConnection: true,
    });
    return;
  }
  const { host, userAgent } = headers;
  const authorization = headers.authorization || offeredCredentials(offered);
  // Nobody else needs it, and it is kept for as long as the socket is open.
  const address = input.admit === null ? '' : addressOf(res);
  const start = { host, authorization, userAgent, address, query };
  if (!isAdmitted(res, start, input)) return;
  const state: SocketState = { isBinary: protocol === MSGPACK_PROTOCOL, start, socket: null };
  res.cork(() => res.upgrade(state, key, protocol ?? '', extensions, context));
}

/** Counts one, and refuses one too many before it is opened: it costs more than any request. */
function isAdmitted(res: HttpResponse, start: Start, { admit, onBug }: SocketsInput): boolean {
  const call = { method: 'GET', path: SOCKET_PATH };
  let allowance: Allowance | null = null;
  try {
    allowance = admit?.({ ...start, ...call, urlKey: () => undefined }) ?? null;
    refuseTooMany(allowance);
    return true;
  } catch (error) {
    const failed = failure(error);
    if (failed.isBug) onBug(error, call);
    const exchange = new HttpExchange(res);
    exchange.allowance = allowance;
    exchange.end({
      status: statusLine(failed.status),
      headers: headersOf(failed),
      body: `${JSON.stringify(failed.body)}\n`,
      closesConnection: true,
    });
    return false;
  }
}

/** `auth.basic.<base64url(email:api_key)>`, for browsers, which cannot set the header. */
function offeredCredentials(offered: readonly string[]): string {
  const found = offered.find((name) => name.startsWith(CREDENTIALS_PROTOCOL));
  if (found === undefined) return '';
  const decoded = Buffer.from(found.slice(CREDENTIALS_PROTOCOL.length), 'base64url');
  return `Basic ${decoded.toString('base64')}`;
}

/** When it is its turn, or the client says something before. */
function begin(state: SocketState, input: SocketsInput) {
  const { start, socket } = state;
  state.start = null;
  if (start === null || socket === null) return;
  socket.inOneWrite(() => admitSession({ start, socket, input }));
}

interface Beginning {
  readonly start: Start;
  readonly socket: EventSocket;
  readonly input: SocketsInput;
}

function admitSession({ start, socket, input }: Beginning) {
  const { query, host, authorization, userAgent, address } = start;
  try {
    const caller = { server: input, host, authorization, userAgent, address };
    socket.session = openSession(caller, socket);
  } catch (error) {
    socket.close(Close.notAuthenticated, String(failure(error).body['msg']));
    return;
  }
  const parameters = new URLSearchParams(query);
  const queueId = parameters.get('queue_id');
  if (queueId !== null) socket.session.resume(queueId, parameters.get('last_event_id') ?? '');
}

/** The only code that touches a `WebSocket`. A class, because there may be ten thousands of them. */
class EventSocket implements Consumer, SocketLine {
  readonly takesOne = false;
  session: SocketSession | null = null;
  /** UNIX ms since when it has taken nothing; 0 while its buffer is empty. */
  fullSince = 0;
  private isOpen = true;
  private readonly ws: WebSocket<SocketState>;
  private readonly isBinary: boolean;
  private readonly full: Set<EventSocket>;
  private readonly onBug: SocketsInput['onBug'];

  constructor(ws: WebSocket<SocketState>, full: Set<EventSocket>, onBug: SocketsInput['onBug']) {
    this.ws = ws;
    this.isBinary = ws.getUserData().isBinary;
    this.full = full;
    this.onBug = onBug;
  }

  get consumer(): Consumer {
    return this;
  }

  /** What is sent within leaves together. */
  inOneWrite(act: () => void) {
    if (this.isOpen) this.ws.cork(act);
  }

  deliver(run: EventRun): Delivery {
    if (!this.isOpen) return 'dropped';
    const frames = this.isBinary ? run.binaryFrames() : run.textFrames();
    const [first] = frames;
    if (frames.length > 1 || first === undefined) return this.deliverSeveral(frames);
    const sent = this.ws.send(first, this.isBinary);
    if (sent === 1) return 'taken';
    this.noteFull();
    if (sent === 2) return 'dropped';
    return this.isHeldBack() ? 'full' : 'taken';
  }

  /** In one write. What is dropped of it cannot be told from what is not, so the client comes back for it. */
  private deliverSeveral(frames: readonly Uint8Array[]): Delivery {
    const { ws, isBinary } = this;
    let isDropped = false;
    ws.cork(() => {
      for (const frame of frames) isDropped ||= ws.send(frame, isBinary) === 2;
    });
    if (isDropped) this.close(Close.tooSlow, 'come back and resume');
    if (!this.isOpen || ws.getBufferedAmount() === 0) return 'taken';
    this.noteFull();
    return this.isHeldBack() ? 'full' : 'taken';
  }

  private noteFull() {
    if (this.fullSince > 0) return;
    this.fullSince = Date.now();
    this.full.add(this);
  }

  private isHeldBack(): boolean {
    return this.ws.getBufferedAmount() > SOCKET_BACKPRESSURE_BYTES_MAX;
  }

  /** Some of what was held back has been taken; when it is all, more may come. */
  drained() {
    if (this.fullSince === 0) return;
    this.fullSince = Date.now();
    if (this.ws.getBufferedAmount() > 0) return;
    this.fullSince = 0;
    this.full.delete(this);
    // In a turn of its own: of what is sent from here and taken in part alone, the library never sends the rest.
    setImmediate(() => {
      if (this.isOpen && this.fullSince === 0) this.session?.drained();
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
      this.send({ type: 'error', code: 'BAD_REQUEST', msg });
      return;
    }
    session.receive(frame);
  }

  send(frame: Readonly<Record<string, unknown>>) {
    if (!this.isOpen) return;
    const sent = this.isBinary
      ? this.ws.send(packr.pack(frame), true)
      : this.ws.send(jsonOf(frame), false);
    // A reply that was dropped would be waited for in vain.
    if (sent === 2) this.close(Close.tooSlow, 'come back and resume');
  }

  success(body: object, ignored: readonly string[]) {
    return successBody(body as Body, ignored);
  }

  failure(error: unknown, call: Call) {
    const failed = failure(error);
    if (failed.isBug) this.onBug(error, call);
    return failed;
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
    if (this.isOpen) this.ws.end(code, reason.slice(0, CLOSE_REASON_LENGTH_MAX));
  }

  /** The library has closed it: nothing more may be written. */
  gone() {
    this.isOpen = false;
    this.full.delete(this);
    this.session?.gone();
  }
}

function closeStalled(full: ReadonlySet<EventSocket>) {
  const latest = Date.now() - SOCKET_STALLED_MS_MAX;
  for (const socket of [...full]) {
    if (socket.fullSince <= latest) socket.close(Close.tooSlow, 'come back and resume');
  }
}
