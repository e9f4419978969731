import type { Method, ParamsArgument, PathOf, ReplyOf, Snapshot } from './calls.ts';
import { Connection } from './connection/connection.ts';
import type { ChatEvent, Codec, SocketClass } from './connection/frames.ts';
import { type Credentials, openHttp, type Params } from './connection/http.ts';
import { type ConnectionStatus, isUp } from './connection/status.ts';
import { Emitter } from './emitter.ts';
import { EndedError, type Fields } from './errors.ts';
import { ITERATOR_EVENTS_MAX, TIMING, type Timing } from './limits.ts';
import { Outbox, type OutboxEntry } from './outbox/outbox.ts';
import { type Message, memoryOutbox, type OutboxStorage } from './outbox/storage.ts';
import { type CallOptions, filled, Requests } from './requests.ts';
import { scoped } from './scope.ts';

export interface ConnectOptions {
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
  /** Keeps messages until they are sent; in memory by default. */
  readonly outbox?: OutboxStorage;
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

export interface ChatStatus extends ConnectionStatus {
  /** The number of messages in the outbox that wait to be sent. */
  readonly waiting: number;
}

export interface ChatEvents extends Record<string, readonly unknown[]> {
  status: readonly [status: ChatStatus];
  /** One event of the queue, in order; heartbeats are left out. */
  event: readonly [event: ChatEvent];
  /** The events that arrived together, before each of them is told as `event`. */
  events: readonly [events: readonly ChatEvent[]];
  /**
   * The state that the following events continue: after the first registration, and after each one
   * that replaces an ended queue.
   */
  snapshot: readonly [snapshot: Snapshot, how: { readonly isFirst: boolean }];
  /** The entries that were not sent, after each change. */
  outbox: readonly [entries: readonly OutboxEntry[]];
  /** An error of the storage of the outbox; messages go on from memory. */
  error: readonly [error: unknown];
}

type KnownPath = { [M in Method]: PathOf<M> }[Method];

/** Connects to a server. It returns at once; the first snapshot comes later. */
export function connect(options: ConnectOptions): Chat {
  return new Chat(options);
}

/** A client of one account: its events, its requests, and the messages that it sends. */
export class Chat {
  readonly outbox: Pick<Outbox, 'entries' | 'discard' | 'retry'>;
  private readonly emitter = new Emitter<ChatEvents>();
  private readonly connection: Connection;
  private readonly requests: Requests;
  private readonly sending: Outbox;
  /** Set when the client has ended: what calls are told from then on. */
  private ended: Error | undefined;
  private readonly underWay = new Set<AbortController>();
  private readonly iterators = new Set<EventBuffer>();
  private readonly forget: (() => void)[] = [];
  private connectionStatus: ConnectionStatus = { state: 'connecting', transport: 'socket' };
  private isFirst = true;

  constructor(options: ConnectOptions) {
    const { credentials, codec, resume, register = {}, random = Math.random } = options;
    // It throws for what is no address: no attempt would ever reach a server.
    const url = new URL(options.url).href;
    const now = options.now ?? Date.now;
    const timing = { ...TIMING, ...options.timing };
    const http = openHttp({
      url,
      credentials,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    });
    this.connection = new Connection({
      ...{ url, credentials, http, codec, resume, register, timing, random, now, isOnline },
      WebSocket: socketClassOf(options),
      statusChanged: (status) => this.statusChanged(status),
      registered: (snapshot) => this.registered(snapshot),
      arrived: (events) => this.arrived(events),
      taken: (position) => this.taken(position),
    });
    const whenUp = (signal: AbortSignal) => this.whenUp(signal);
    const { connection } = this;
    const isUpNow = () => isUp(this.connectionStatus);
    this.requests = new Requests({
      ...{ http, connection, timing, random, now, whenUp },
      isUp: isUpNow,
    });
    this.sending = new Outbox({
      ...{ timing, random, now, whenUp },
      storage: options.outbox ?? memoryOutbox(),
      attempt: (request, signal) => this.requests.once(request, signal),
      queueId: () => this.connection.queue?.id,
      changed: (entries) => this.outboxChanged(entries),
      failed: (error) => this.emitter.emit('error', error),
    });
    this.outbox = this.sending;
    this.forget.push(...watchNetwork(() => this.retryNow()));
    // Listeners that are added right after `connect` hear of everything.
    queueMicrotask(() => void this.connection.run());
    queueMicrotask(() => void this.sending.run());
  }

  get status(): ChatStatus {
    return { ...this.connectionStatus, waiting: this.sending.waiting };
  }

  /** The place up to which events were taken; undefined before the first registration. */
  get position(): Position | undefined {
    const { queue } = this.connection;
    return queue === null
      ? undefined
      : { queueId: queue.id, lastEventId: this.taken(queue.position) };
  }

  /** Adds a listener; returns the function that removes it. */
  on<Name extends keyof ChatEvents>(
    name: Name,
    listener: (...args: ChatEvents[Name]) => void,
  ): () => void {
    return this.emitter.on(name, listener);
  }

  /**
   * Iterates over the events that come once the loop has begun. If it is slower than the events,
   * the connection is paused, and resumes where it was. It ends when the client is closed, and
   * throws if the account may not connect any more.
   */
  async *events({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<ChatEvent, void> {
    const buffer = new EventBuffer();
    const wake = () => buffer.wake();
    this.iterators.add(buffer);
    signal?.addEventListener('abort', wake);
    try {
      while (this.ended === undefined && signal?.aborted !== true) {
        const event = buffer.shift();
        if (event === undefined) await buffer.filled();
        else {
          yield event;
          buffer.taken = event.id;
        }
      }
    } finally {
      this.iterators.delete(buffer);
      signal?.removeEventListener('abort', wake);
      buffer.clear();
    }
    const { error } = this.connectionStatus;
    if (error !== undefined) throw error;
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

  /**
   * Puts a message into the outbox, from which it is sent once, whatever happens in between. The
   * messages of a conversation keep their order. It throws a `FullError` if the outbox is full.
   */
  send(message: Message, { key }: { readonly key?: string } = {}): OutboxEntry {
    return this.sending.add(message, key);
  }

  /** Tries to connect now, and asks an open connection for a sign of life. */
  retryNow() {
    this.connection.retryNow();
  }

  /**
   * Ends the client, and its queue unless another client shall resume it. Messages that were not
   * sent stay in the storage.
   */
  close({ keepsQueue = false }: { readonly keepsQueue?: boolean } = {}) {
    if (this.ended !== undefined) return;
    const id = this.connection.queue?.id;
    if (id !== undefined && !keepsQueue) {
      const request = { method: 'DELETE', path: '/events', params: { queue_id: id } } as const;
      // The server ends the queue by itself if this does not arrive.
      this.requests.once(request).catch(() => undefined);
    }
    this.connection.close();
  }

  private statusChanged(status: ConnectionStatus) {
    this.connectionStatus = status;
    if (status.state === 'ended') {
      this.ended = status.error ?? new EndedError('The client was closed');
      for (const call of this.underWay) call.abort(this.ended);
      for (const buffer of this.iterators) buffer.wake();
      this.sending.close();
      for (const forget of this.forget) forget();
    }
    this.emitter.emit('status', this.status);
  }

  private registered(snapshot: Fields) {
    const { isFirst } = this;
    this.isFirst = false;
    // The reply to `POST /register` is a snapshot, as the description of the API says.
    this.emitter.emit('snapshot', snapshot as unknown as Snapshot, { isFirst });
  }

  private arrived(events: readonly ChatEvent[]) {
    for (const buffer of this.iterators) buffer.push(events);
    this.emitter.emit('events', events);
    for (const event of events) this.emitter.emit('event', event);
    for (const buffer of this.iterators) {
      if (buffer.isFull) this.connection.pauseReading(buffer.drained());
    }
  }

  private taken(position: number) {
    let taken = position;
    for (const buffer of this.iterators) {
      if (!buffer.isWaiting) taken = Math.min(taken, buffer.taken);
    }
    return taken;
  }

  private outboxChanged(entries: readonly OutboxEntry[]) {
    this.emitter.emit('outbox', entries);
    this.emitter.emit('status', this.status);
  }

  private whenUp(signal: AbortSignal): Promise<void> {
    if (isUp(this.connectionStatus) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        forget();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const forget = this.on('status', (status) => isUp(status) && done());
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** The events that an iterator has not taken yet. */
class EventBuffer {
  /** The last event that its loop is done with. */
  taken = 0;
  private events: ChatEvent[] = [];
  private next = 0;
  private filling: (() => void) | undefined;
  private readonly drains: (() => void)[] = [];

  /** True if its loop is done with everything that it got. */
  get isWaiting() {
    return this.filling !== undefined;
  }

  get length() {
    return this.events.length - this.next;
  }

  get isFull() {
    return this.length >= ITERATOR_EVENTS_MAX;
  }

  push(events: readonly ChatEvent[]) {
    this.events.push(...events);
    this.wake();
  }

  shift(): ChatEvent | undefined {
    const event = this.events[this.next];
    if (event === undefined) {
      this.clear();
      return undefined;
    }
    this.next += 1;
    return event;
  }

  clear() {
    this.events = [];
    this.next = 0;
    for (const drained of this.drains.splice(0)) drained();
  }

  /** Resolves when there are events, or something else happened. */
  filled(): Promise<void> {
    return new Promise((resolve) => {
      this.filling = resolve;
    });
  }

  wake() {
    this.filling?.();
    this.filling = undefined;
  }

  /** Resolves when its loop has taken everything, or was left. */
  drained(): Promise<void> {
    return new Promise((resolve) => void this.drains.push(resolve));
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

const socketClassOf = ({ WebSocket }: ConnectOptions): SocketClass | undefined =>
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
