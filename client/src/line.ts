import type { Method, ParamsArgument, PathOf, ReplyOf } from './calls.ts';
import { Connection } from './connection/connection.ts';
import type { ChatEvent, Codec, SocketClass } from './connection/frames.ts';
import { type Credentials, openHttp, type Params, type Request } from './connection/http.ts';
import { type ConnectionStatus, isUp } from './connection/status.ts';
import { EndedError, type Fields } from './errors.ts';
import { TIMING, type Timing } from './limits.ts';
import { type CallOptions, filled, Requests } from './requests.ts';
import { scoped } from './scope.ts';

export interface LineOptions {
  /** The address of the server, such as `https://chat.example.com`. */
  readonly url: string;
  readonly credentials: Credentials;
  /** The parameters of `POST /register`, such as `event_types` and `apply_markdown`. */
  readonly register?: Params;
  /**
   * A queue that another client has left open: its events are resumed after `lastEventId`. There is
   * a snapshot only if it has ended meanwhile. A bot that stores `position` hears of everything
   * once, although it is restarted.
   */
  readonly resume?: Position | undefined;
  /** Encodes the frames of the socket as msgpack; without it they are JSON. */
  readonly codec?: Codec;
  /**
   * The class of sockets; by default that of the browser or of Node 22. Node 20 has none: hand in
   * that of `ws`, or the queue is read by long-polling. Null always polls.
   */
  readonly WebSocket?: SocketClass | null;
  readonly fetch?: typeof fetch;
  readonly random?: () => number;
  readonly now?: () => number;
  /** Durations that differ from the usual ones, for tests. */
  readonly timing?: Partial<Timing>;
}

/** A place in an event queue. */
export interface Position {
  readonly queueId: string;
  /** The last event that the application has taken. */
  readonly lastEventId: number;
}

type KnownPath = { [M in Method]: PathOf<M> }[Method];

/**
 * The events and the requests of one account, without an outbox: what a page needs before anything
 * is written. A class that extends it says what becomes of the events.
 */
export abstract class Line {
  readonly timing: Timing;
  readonly random: () => number;
  readonly now: () => number;
  protected readonly connection: Connection;
  /** Set when the line has ended: what calls are told from then on. */
  protected ended: Error | undefined;
  protected connectionStatus: ConnectionStatus = { state: 'connecting', transport: 'socket' };
  private readonly requests: Requests;
  private readonly underWay = new Set<AbortController>();
  private readonly waiting = new Set<() => void>();
  private readonly forget: (() => void)[] = [];

  constructor(options: LineOptions) {
    const { credentials, codec, resume, register = {} } = options;
    // It throws for what is no address: no attempt would ever reach a server.
    const url = new URL(options.url).href;
    const random = options.random ?? Math.random;
    const now = options.now ?? Date.now;
    const timing = { ...TIMING, ...options.timing };
    this.random = random;
    this.now = now;
    this.timing = timing;
    const http = openHttp({
      url,
      credentials,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    });
    this.connection = new Connection({
      ...{ url, credentials, http, codec, resume, register, timing, random, now, isOnline },
      WebSocket: socketClassOf(options),
      statusChanged: (status) => this.changed(status),
      registered: (snapshot) => this.registered(snapshot),
      arrived: (events) => this.arrived(events),
      taken: (position) => this.taken(position),
    });
    const { connection } = this;
    this.requests = new Requests({
      ...{ http, connection, timing, random, now },
      whenUp: (signal) => this.whenUp(signal),
      isUp: () => isUp(this.connectionStatus),
    });
    this.forget.push(...watchNetwork(() => this.retryNow()));
    // Listeners that are added right after it is made hear of everything.
    queueMicrotask(() => void this.connection.run());
  }

  /** The id of the queue whose events come; undefined before the first registration. */
  get queueId(): string | undefined {
    return this.connection.queue?.id;
  }

  /**
   * Makes a request, over the socket if it is open, otherwise by HTTP. Names in braces of the path
   * are taken from the parameters. If the server is busy or restarts, the call waits as it is told.
   * If the answer is lost, reads are repeated; other requests throw a `NetworkError`, whose
   * `outcome` is `unknown`.
   */
  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...rest: [...params: ParamsArgument<M, P>, options?: CallOptions]
  ): Promise<ReplyOf<M, P>>;
  /** The same for a path that was put together, or a form with files. */
  call<P extends string>(
    method: Method,
    path: P extends KnownPath ? never : P,
    params?: Params | FormData,
    options?: CallOptions,
  ): Promise<Fields>;
  call(
    method: Method,
    path: string,
    params: Params | FormData = {},
    options: CallOptions = {},
  ): Promise<Fields> {
    const { signal, idempotencyKey } = options;
    const request = { ...filled(path, params), method, idempotencyKey };
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return scoped({ signal, among: this.underWay }, (own) =>
      this.requests.call(request, { ...options, signal: own }),
    );
  }

  /** Makes one attempt at a request. */
  once(request: Request, signal?: AbortSignal): Promise<Fields> {
    return this.requests.once(request, signal);
  }

  /** Tries to connect now, and asks an open connection for a sign of life. */
  retryNow() {
    this.connection.retryNow();
  }

  /** Resolves when the connection is up, or the signal is aborted. */
  whenUp(signal: AbortSignal): Promise<void> {
    if (isUp(this.connectionStatus) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /**
   * Ends the client, and its queue unless another client shall resume it. Messages that were not
   * sent stay in the storage.
   */
  close({ keepsQueue = false }: { readonly keepsQueue?: boolean } = {}) {
    if (this.ended !== undefined) return;
    const id = this.queueId;
    if (id !== undefined && !keepsQueue) {
      const request = { method: 'DELETE', path: '/events', params: { queue_id: id } } as const;
      // The server ends the queue by itself if this does not arrive.
      this.once(request).catch(() => undefined);
    }
    this.connection.close();
  }

  /** Told of each change of the connection. */
  protected abstract statusChanged(status: ConnectionStatus): void;

  /** Given the state that the following events continue: the reply to a registration. */
  protected abstract registered(snapshot: Fields): void;

  /** Given the events that arrived together. */
  protected abstract arrived(events: readonly ChatEvent[]): void;

  /** Returns the last event that the application has taken, of those up to `position`. */
  protected taken(position: number): number {
    return position;
  }

  private changed(status: ConnectionStatus) {
    this.connectionStatus = status;
    if (status.state === 'ended') {
      this.ended = status.error ?? new EndedError('The client was closed');
      for (const call of this.underWay) call.abort(this.ended);
      for (const forget of this.forget) forget();
    }
    this.statusChanged(status);
    if (isUp(status)) for (const done of [...this.waiting]) done();
  }
}

interface Global {
  readonly WebSocket?: SocketClass;
  readonly navigator?: { readonly onLine?: boolean };
  readonly document?: { readonly visibilityState?: string };
  addEventListener?(name: string, listener: () => void): void;
  removeEventListener?(name: string, listener: () => void): void;
}

/** Browsers and Node have different parts of this. */
const global = globalThis as unknown as Global;

const socketClassOf = ({ WebSocket }: LineOptions): SocketClass | undefined =>
  WebSocket === null ? undefined : (WebSocket ?? global.WebSocket);

const isOnline = () => global.navigator?.onLine !== false;

/** Calls `retryNow` when the browser has a network again, and when the user is back at the page. */
function watchNetwork(retryNow: () => void): (() => void)[] {
  const retry = () => {
    if (global.document?.visibilityState !== 'hidden') retryNow();
  };
  return ['online', 'offline', 'focus', 'visibilitychange', 'pageshow'].map((name) => {
    global.addEventListener?.(name, retry);
    return () => global.removeEventListener?.(name, retry);
  });
}
