import {
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_FRAME_BYTES_MAX,
  SOCKET_STALLED_MS_MAX,
} from '../domain/limits.ts';
import type { Deployment, Dispatch } from '../endpoints/dispatch.ts';
import {
  openSession,
  type SocketLine,
  type SocketSession,
} from '../endpoints/events/socket-session.ts';
import type { Consumer, Delivery } from '../events/delivery.ts';
import { packr } from '../events/msgpack.ts';
import { HttpExchange } from './exchange.ts';
import { API_PREFIX, readHead } from './http.ts';
import { failure, statusLine, successBody } from './reply.ts';
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

interface SocketState {
  readonly isBinary: boolean;
  readonly head: { host: string; authorization: string; userAgent: string };
  readonly queueId: string | null;
  readonly lastEventId: string;
  session: SocketSession | null;
  isOpen: boolean;
  /** UNIX ms since when it takes no more; 0 while it does. */
  fullSince: number;
}

export interface SocketsInput {
  readonly deployment: Deployment;
  readonly dispatch: Dispatch;
  /** Origins that browsers may connect from; null allows all. */
  readonly allowedOrigins: readonly string[] | null;
  readonly onBug: (error: unknown, call: { method: string; path: string }) => void;
}

export interface EventSockets {
  /** Closes every socket that serves no queue; the others are closed through their queues. */
  closeAll(retryAfterMs: () => number): void;
}

type Socket = WebSocket<SocketState>;

/** `GET /api/v1/events/socket`. */
export function mountSockets(app: TemplatedApp, input: SocketsInput): EventSockets {
  const sockets = new Set<Socket>();
  const full = new Set<Socket>();
  const stallCheck = setInterval(() => closeStalled(full), STALL_CHECK_MS);
  stallCheck.unref();

  app.ws<SocketState>(`${API_PREFIX}/events/socket`, {
    compression: DISABLED,
    maxPayloadLength: HARD_FRAME_BYTES_MAX,
    maxBackpressure: BUFFER_BYTES_MAX,
    idleTimeout: SILENCE_SECONDS_MAX,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => upgrade(res, { req, context, input }),
    open(ws) {
      sockets.add(ws);
      start(ws, full, input);
    },
    message: (ws, message, isBinary) => receive(ws, message, isBinary),
    drain(ws) {
      const state = ws.getUserData();
      if (state.fullSince === 0 || ws.getBufferedAmount() > 0) return;
      state.fullSince = 0;
      full.delete(ws);
      state.session?.drained();
    },
    close(ws) {
      const state = ws.getUserData();
      state.isOpen = false;
      sockets.delete(ws);
      full.delete(ws);
      state.session?.gone();
    },
  });
  return {
    closeAll(retryAfterMs) {
      clearInterval(stallCheck);
      for (const ws of [...sockets]) stop(ws, retryAfterMs());
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
    new HttpExchange(res).end({ status: statusLine(isForeign ? 403 : 400), body: `${body}\n` });
    return;
  }
  const parameters = new URLSearchParams(query);
  const state: SocketState = {
    isBinary: protocol === MSGPACK_PROTOCOL,
    head: {
      host: headers.host,
      authorization: headers.authorization || offeredCredentials(offered),
      userAgent: headers.userAgent,
    },
    queueId: parameters.get('queue_id'),
    lastEventId: parameters.get('last_event_id') ?? '',
    session: null,
    isOpen: true,
    fullSince: 0,
  };
  res.cork(() => res.upgrade(state, key, protocol ?? '', extensions, context));
}

/** `auth.basic.<base64url(email:api_key)>`, for browsers, which cannot set the header. */
function offeredCredentials(offered: readonly string[]): string {
  const found = offered.find((name) => name.startsWith(CREDENTIALS_PROTOCOL));
  if (found === undefined) return '';
  const decoded = Buffer.from(found.slice(CREDENTIALS_PROTOCOL.length), 'base64url');
  return `Basic ${decoded.toString('base64')}`;
}

function start(ws: Socket, full: Set<Socket>, input: SocketsInput) {
  const state = ws.getUserData();
  const line = lineTo(ws, full, input);
  try {
    const session = openSession({ ...input, ...state.head }, line);
    state.session = session;
    if (state.queueId !== null) session.resume(state.queueId, state.lastEventId);
  } catch (error) {
    const { body } = failure(error);
    close(ws, Close.notAuthenticated, String(body['msg']));
  }
}

function lineTo(ws: Socket, full: Set<Socket>, { onBug }: SocketsInput): SocketLine {
  return {
    consumer: consumerOf(ws, full),
    send: (frame) => sendFrame(ws, frame),
    success: successBody,
    failure(error, call) {
      const failed = failure(error);
      if (failed.isBug) onBug(error, call);
      return failed;
    },
  };
}

function consumerOf(ws: Socket, full: Set<Socket>): Consumer {
  const state = ws.getUserData();
  const { isBinary } = state;
  return {
    takesOne: false,
    deliver(run): Delivery {
      if (!state.isOpen) return 'dropped';
      const frame = isBinary ? run.binaryFrame() : run.textFrame();
      const sent = ws.send(frame, isBinary);
      if (sent === 1) return 'taken';
      if (state.fullSince === 0) {
        state.fullSince = Date.now();
        full.add(ws);
      }
      if (sent === 2) return 'dropped';
      return ws.getBufferedAmount() > SOCKET_BACKPRESSURE_BYTES_MAX ? 'full' : 'taken';
    },
    replaced: () => close(ws, Close.replaced, 'a newer consumer took over'),
    ended: () => close(ws, Close.queueUnknown, 'the queue has ended'),
    stopping: (retryAfterMs) => stop(ws, retryAfterMs),
  };
}

function receive(ws: Socket, message: ArrayBuffer, isBinary: boolean) {
  const { session } = ws.getUserData();
  if (session === null) return;
  if (message.byteLength > SOCKET_FRAME_BYTES_MAX) {
    close(ws, Close.tooLarge, `a frame has at most ${SOCKET_FRAME_BYTES_MAX} bytes`);
    return;
  }
  let frame: unknown;
  try {
    const bytes = Buffer.from(message);
    frame = isBinary ? packr.unpack(bytes) : JSON.parse(bytes.toString('utf8'));
  } catch {
    const msg = isBinary ? 'The frame is not msgpack' : 'The frame is not JSON';
    sendFrame(ws, { type: 'error', code: 'BAD_REQUEST', msg });
    return;
  }
  session.receive(frame);
}

function sendFrame(ws: Socket, frame: Readonly<Record<string, unknown>>) {
  const state = ws.getUserData();
  if (!state.isOpen) return;
  const sent = state.isBinary
    ? ws.send(packr.pack(frame), true)
    : ws.send(JSON.stringify(frame), false);
  // A reply that was dropped would be waited for in vain.
  if (sent === 2) close(ws, Close.tooSlow, 'come back and resume');
}

function closeStalled(full: ReadonlySet<Socket>) {
  const latest = Date.now() - SOCKET_STALLED_MS_MAX;
  for (const ws of [...full]) {
    if (ws.getUserData().fullSince > latest) continue;
    close(ws, Close.tooSlow, 'come back and resume');
  }
}

const stop = (ws: Socket, retryAfterMs: number) =>
  close(ws, Close.stopping, JSON.stringify({ retry_after_ms: retryAfterMs }));

function close(ws: Socket, code: number, reason: string) {
  if (!ws.getUserData().isOpen) return;
  ws.end(code, reason.slice(0, 120));
}
