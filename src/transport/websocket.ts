import { SOCKET_FRAME_BYTES_MAX, SOCKET_STALLED_MS_MAX } from '../domain/limits/sockets.ts';
import { serverStopping } from '../domain/wire/errors.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { openSession } from '../endpoints/events/socket-session.ts';
import { SOCKET_PATH } from '../endpoints/rate-limiter.ts';
import type { Tracing } from '../endpoints/tracing.ts';
import { recordClose, recordCredentials, type SocketRecord } from '../metrics/recorders.ts';
import { openConnectionThrottle } from './connections/connection-throttle.ts';
import { EventSocket, type OpenSocket, type SocketState } from './event-socket.ts';
import {
  type Handshake,
  type HandshakeInput,
  isOfVersion,
  protocolIn,
  readHandshake,
} from './handshake.ts';
import {
  type HttpRequest,
  type HttpResponse,
  socketLibrary,
  type TemplatedApp,
  type us_socket_context_t,
  type WebSocketBehavior,
} from './library/sockets.ts';
import { type Passing, passedRequest } from './passing.ts';
import { API_PREFIX } from './requests/api.ts';

/**
 * The library closes the connection at a longer frame without a reason; up to here the client gets
 * one.
 */
const HARD_FRAME_BYTES_MAX = 4 * SOCKET_FRAME_BYTES_MAX;
/** Pings keep the connection; without an answer for this long it is dead. */
const SILENCE_SECONDS_MAX = 120;
const STALL_CHECK_MS = 5_000;
/**
 * A reply must not be dropped, so the library's bound is above the one at which events are held
 * back.
 */
const BUFFER_BYTES_MAX = 16 * 1024 * 1024;

export interface SocketsInput extends HandshakeInput {
  readonly deployment: Deployment;
  readonly dispatch: Dispatch;
  readonly socketRecord: SocketRecord;
  readonly tracing: Tracing;
  /** Passes on what other processes serve; by default this one serves everything. */
  readonly passing?: Passing | undefined;
}

export interface EventSockets {
  /** Serves them by a further app: there is one for each certificate. */
  mount(app: TemplatedApp): void;
  /** Returns the number of open sockets. */
  count(): number;
  /**
   * Closes every socket that serves no queue; the others are closed through their queues. Sockets
   * that come later get another input.
   */
  closeAll(retryAfterMs: () => number, next: SocketsInput): void;
  /** Returns how many have clients that have not taken all that was sent. */
  behind(): number;
  /** Describes those whose client has logged in. */
  all(): Iterable<OpenSocket>;
}

/** Opens what serves `GET /api/v1/events/socket`. */
export function openSockets(input: SocketsInput): EventSockets {
  let mounted = input;
  const sockets = new Set<EventSocket>();
  const full = new Set<EventSocket>();
  const throttle = openConnectionThrottle<SocketState>((state) => begin(state, mounted));
  const stallCheck = setInterval(() => closeStalled(full), STALL_CHECK_MS);
  stallCheck.unref();

  const behavior: WebSocketBehavior<SocketState> = {
    compression: socketLibrary().DISABLED,
    maxPayloadLength: HARD_FRAME_BYTES_MAX,
    maxBackpressure: BUFFER_BYTES_MAX,
    idleTimeout: SILENCE_SECONDS_MAX,
    sendPingsAutomatically: true,
    upgrade(res, req, context) {
      if (isUpgradedForOther(res, req, { context, input: mounted })) return;
      const handshake = readHandshake(res, req, mounted);
      if (handshake === undefined) return;
      const { isBinary } = handshake;
      const state: SocketState = {
        isBinary,
        handshake,
        hasWaited: false,
        socket: null,
        passed: null,
      };
      const [key, extensions] = keysOf(req);
      // The upgrade must happen here: the library closed some of the connections that were upgraded
      // later, within a cork (decision 0109).
      res.upgrade(state, key, handshake.protocol, extensions, context);
    },
    open(ws) {
      const { passed } = ws.getUserData();
      if (passed !== null) return passed.begin(ws);
      const socket = new EventSocket(ws, full, mounted.onBug);
      sockets.add(socket);
      mounted.socketRecord.opened += 1;
      const state = ws.getUserData();
      state.socket = socket;
      throttle.add(state);
    },
    message(ws, message, isBinary) {
      const state = ws.getUserData();
      if (state.passed !== null) return state.passed.receive(message, isBinary);
      begin(state, mounted);
      state.socket?.guarded((socket) => socket.receive(message, isBinary));
    },
    drain(ws) {
      const { passed, socket: own } = ws.getUserData();
      if (passed === null) own?.guarded((socket) => socket.drained());
      else passed.drained();
    },
    close(ws) {
      const state = ws.getUserData();
      state.passed?.gone();
      state.handshake = null;
      const { socket } = state;
      if (socket === null) return;
      sockets.delete(socket);
      recordClose(mounted.socketRecord, socket.closedWith);
      socket.guarded(() => socket.gone());
    },
  };
  return {
    mount(app) {
      app.ws(`${API_PREFIX}${SOCKET_PATH}`, behavior);
    },
    count: () => sockets.size,
    closeAll(retryAfterMs, next) {
      clearInterval(stallCheck);
      mounted = next;
      for (const socket of [...sockets]) socket.stopping(retryAfterMs());
    },
    behind: () => full.size,
    *all() {
      for (const socket of sockets) {
        const described = socket.describe();
        if (described !== undefined) yield described;
      }
    },
  };
}

const keysOf = (req: HttpRequest): readonly [key: string, extensions: string] => [
  req.getHeader('sec-websocket-key'),
  req.getHeader('sec-websocket-extensions'),
];

interface Upgrading {
  readonly context: us_socket_context_t;
  readonly input: SocketsInput;
}

/** Opens a socket that another process serves; returns false for one that is served here. */
function isUpgradedForOther(
  res: HttpResponse,
  req: HttpRequest,
  { context, input: { passing, proxies } }: Upgrading,
): boolean {
  if (passing === undefined || !passing.isNeeded()) return false;
  const forwarded = proxies === null ? null : proxies.forwarding(res, req);
  const request = passedRequest(passing, { res, req, forwarded });
  // Another version of the protocol is refused here.
  if (request === undefined || !isOfVersion(req)) return false;
  const protocol = protocolIn(req);
  const passed = passing.socket(request, protocol);
  const state = { isBinary: false, handshake: null, hasWaited: true, socket: null, passed };
  const [key, extensions] = keysOf(req);
  res.upgrade<SocketState>(state, key, protocol, extensions, context);
  return true;
}

/**
 * Begins a socket, when its turn comes or its client sends the first frame. Credentials are judged
 * only now that it is open, so that a browser is told what is wrong with them. The greeting and
 * what the queue missed leave in one write.
 */
function begin(state: SocketState, input: SocketsInput) {
  const { handshake, socket } = state;
  if (handshake === null || socket === null) return;
  const wait = state.hasWaited ? null : caughtUp(handshake, input);
  state.hasWaited = true;
  if (wait !== null) {
    void wait.then((isKnown) => (isKnown ? begin(state, input) : refuse(state, input, LATE)));
    return;
  }
  state.handshake = null;
  let refusal: unknown;
  socket.inOneWrite(() => {
    try {
      beginSession(handshake, socket, input);
    } catch (error) {
      refusal = error;
    }
  });
  // The library would not end the connection within the write.
  if (refusal !== undefined) refuse(state, input, refusal);
}

/** The node does not know yet what the client has: another one may, and this one soon. */
const LATE = serverStopping();

function refuse(state: SocketState, { socketRecord }: SocketsInput, refusal: unknown) {
  state.handshake = null;
  if (state.socket === null) return;
  socketRecord.refused += 1;
  recordCredentials(socketRecord, refusal);
  state.socket.refuse(refusal);
}

/**
 * Resolves when the queue can be resumed here, with false if that is not known; null if that is at
 * once, or none is named.
 */
function caughtUp({ host, query }: Handshake, { deployment }: SocketsInput) {
  if (deployment.whenCaughtUp === undefined) return null;
  const parameters = new URLSearchParams(query);
  const queueId = parameters.get('queue_id');
  if (queueId === null) return null;
  const lastEventId = Number(parameters.get('last_event_id') ?? Number.NaN);
  return deployment.whenCaughtUp(host, { queueId, lastEventId });
}

function beginSession(handshake: Handshake, socket: EventSocket, input: SocketsInput) {
  const { query, host, authorization, userAgent, address } = handshake;
  const caller = { server: input, host, authorization, userAgent, address };
  const session = openSession(caller, socket);
  socket.session = session;
  const parameters = new URLSearchParams(query);
  const queueId = parameters.get('queue_id');
  if (queueId !== null) session.resume(queueId, parameters.get('last_event_id') ?? '');
}

function closeStalled(full: ReadonlySet<EventSocket>) {
  const latest = Date.now() - SOCKET_STALLED_MS_MAX;
  for (const socket of [...full]) {
    if (socket.fullSince <= latest) socket.tooSlow();
  }
}
