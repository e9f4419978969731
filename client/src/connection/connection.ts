import { ApiError, EndedError, type Fields, NetworkError } from '../errors.ts';
import { STEADY_MS, type Timing, UNACKNOWLEDGED_MAX } from '../limits.ts';
import { backoff, pause } from '../pause.ts';
import type { ChatEvent, Codec, SocketClass } from './frames.ts';
import type { Credentials, Http, Params, Reply, Request } from './http.ts';
import { SocketProbes } from './probes.ts';
import { type Attachment, type Ending, FrameSocket } from './socket.ts';
import { type ConnectionStatus, isUp } from './status.ts';

export interface ConnectionInput {
  readonly url: string;
  readonly credentials: Credentials;
  readonly http: Http;
  /** Undefined where there are no sockets: the queue is polled. */
  readonly WebSocket: SocketClass | undefined;
  readonly codec: Codec | undefined;
  /** A queue of an earlier client. */
  readonly resume: { readonly queueId: string; readonly lastEventId: number } | undefined;
  readonly register: Params;
  readonly timing: Timing;
  readonly random: () => number;
  readonly now: () => number;
  /** False if the system says that there is no network. */
  readonly isOnline: () => boolean;
  readonly statusChanged: (status: ConnectionStatus) => void;
  readonly registered: (snapshot: Fields) => void;
  readonly arrived: (events: readonly ChatEvent[]) => void;
  /** Returns the last event that the application has taken, of those up to `position`. */
  readonly taken: (position: number) => number;
}

interface Queue {
  readonly id: string;
  /** The last event that was handed on: a resume begins after it. */
  position: number;
  /** True once its events could be read. */
  wasUp: boolean;
}

/** A registration that replaces an ended queue is told as such. */
type Origin = 'first' | 'resumed' | 'anew';

/**
 * Holds one event queue and reads it, by a socket where that works and by polls elsewhere. One loop
 * does all of it, so the queue never has two readers, and each event is handed on once: those up to
 * the position of the queue are left out.
 *
 * A socket that hangs is given up for polls, since a queue that is polled must not be attached to
 * by a socket at an earlier position. Sockets that are tried beside polls have no queue.
 */
export class Connection {
  queue: Queue | null = null;
  private socket: FrameSocket | null = null;
  private mode: 'socket' | 'poll' = 'socket';
  /** True after a probe has opened: the next socket may take its time. */
  private isProven = false;
  private origin: Origin = 'first';
  private failures = 0;
  private replacements = 0;
  private upAt: number | undefined;
  private status: ConnectionStatus = { state: 'connecting', transport: 'socket' };
  private readonly closing = new AbortController();
  private waking = new AbortController();
  private readonly probes: SocketProbes;
  private pausing: Promise<void> | null = null;
  /** Ends the poll that waits, and the next one is begun. */
  private polling: AbortController | null = null;
  private acknowledged = 0;
  private ackTimer: ReturnType<typeof setTimeout> | undefined;
  private newsTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly input: ConnectionInput;

  constructor(input: ConnectionInput) {
    this.input = input;
    this.probes = new SocketProbes({ ...input, open: () => this.open(input.timing.connectMs) });
    if (input.WebSocket === undefined) this.mode = 'poll';
    if (input.resume === undefined) return;
    const { queueId: id, lastEventId: position } = input.resume;
    this.queue = { id, position, wasUp: true };
    this.origin = 'resumed';
  }

  /** Reads until it is closed, or may not any more. */
  async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      try {
        await this.pausing;
        if (this.queue === null) await this.register();
        else if (this.mode === 'poll') await this.readByPolls();
        else await this.readBySocket();
      } catch (error) {
        if (this.closing.signal.aborted) return;
        if (isFinal(error)) return this.end(error);
        await this.waitAfter(retryAfterOf(error));
      }
    }
  }

  /** Tries now, if it waits, and asks an open connection for a sign of life. */
  retryNow() {
    this.waking.abort();
    this.socket?.probe();
    this.polling?.abort();
    this.probes.now();
  }

  /** Asks over the socket, if it is open and the request fits. */
  ask(request: Request, signal?: AbortSignal): Promise<Reply> | undefined {
    return this.socket?.takes(request) === true ? this.socket.ask(request, signal) : undefined;
  }

  /** Leaves the queue unread until `until` resolves, for an application that is behind. */
  pauseReading(until: Promise<void>) {
    if (this.pausing !== null) return;
    this.pausing = until.finally(() => {
      this.pausing = null;
    });
    this.socket?.close();
  }

  close(error?: Error) {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.waking.abort();
    this.socket?.close();
    clearTimeout(this.ackTimer);
    clearTimeout(this.newsTimer);
    this.tell({ state: 'ended', ...(error === undefined ? {} : { error }) });
  }

  private end(error: unknown) {
    this.close(error instanceof Error ? error : new EndedError(String(error)));
  }

  private async register() {
    const { http, register, timing } = this.input;
    const { signal } = this.closing;
    const request: Request = { method: 'POST', path: '/register', params: register };
    const { status, body, retryAfterMs } = await http(request, {
      timeoutMs: timing.requestMs,
      signal,
    });
    if (status !== 200) throw new ApiError(status, body, retryAfterMs);
    const { queue_id: id, last_event_id: position } = body;
    if (typeof id !== 'string' || typeof position !== 'number') {
      throw new EndedError('These credentials have no event queue');
    }
    this.queue = { id, position, wasUp: false };
    this.acknowledged = position;
    this.input.registered(body);
  }

  /** Gives up a queue that the server does not know, and one that was never read after a pause. */
  private async leaveQueue() {
    const wasUp = this.queue?.wasUp;
    this.queue = null;
    this.origin = 'anew';
    if (wasUp === false) await this.waitAfter();
    else this.tell({ state: 'connecting' });
  }

  private async readBySocket() {
    const first = await this.attach();
    if (first.why === 'hung') return this.readByPolls({ probesAtOnce: true });
    if (first.why !== 'not-opened') return this.after(first);
    // Either the server is away, or sockets do not come through: an answer over HTTP decides.
    await this.poll({ isWaiting: false });
    if (this.queue === null) return;
    const second = await this.attach();
    if (second.why !== 'not-opened' && second.why !== 'hung') return this.after(second);
    await this.poll({ isWaiting: false });
    this.mode = 'poll';
  }

  /** Opens a socket on the queue, and resolves when it has ended. */
  private async attach(): Promise<Ending> {
    const { queue } = this;
    if (queue === null) return { why: 'not-opened' };
    const { hangMs, connectMs } = this.input.timing;
    const openMs = this.isProven ? connectMs : Math.min(hangMs, connectMs);
    this.isProven = false;
    const socket = this.open(openMs, {
      queueId: queue.id,
      lastEventId: queue.position,
      greeted: () => this.up('socket'),
      arrived: (events) => this.take(queue, events),
    });
    if (socket === null) return { why: 'not-opened' };
    this.socket = socket;
    const ending = await socket.ended;
    this.socket = null;
    clearTimeout(this.ackTimer);
    this.ackTimer = undefined;
    return ending;
  }

  /** Returns null where there are no sockets, or where this one may not be opened. */
  private open(openMs: number, attachment?: Attachment): FrameSocket | null {
    const { WebSocket, ...input } = this.input;
    if (WebSocket === undefined) return null;
    try {
      return new FrameSocket({ ...input, WebSocket, openMs }, attachment);
    } catch {
      return null; // such as an unencrypted one of an encrypted page
    }
  }

  private async after({ why, afterMs }: Ending) {
    if (this.closing.signal.aborted) return;
    if (why === 'queue-gone') return this.leaveQueue();
    // The answer of an ordinary request says what is wrong with the account.
    if (why === 'not-authenticated') await this.poll({ isWaiting: false });
    // Somebody else reads this queue if it happens again and again: one's own is the way out.
    const isAgain = why === 'replaced' && !this.wasSteady();
    this.replacements = isAgain ? this.replacements + 1 : 0;
    if (this.replacements >= REPLACEMENTS_MAX) return this.leaveQueue();
    if (this.pausing === null) await this.waitAfter(afterMs);
  }

  private async readByPolls({ probesAtOnce = false } = {}) {
    const switching = new AbortController();
    const stop = () => switching.abort();
    this.closing.signal.addEventListener('abort', stop);
    const probing = this.probeUntilOpen(switching, probesAtOnce);
    try {
      await this.poll({ isWaiting: false, signal: switching.signal });
      // The server is there, and no socket has reached it.
      this.mode = 'poll';
      this.up('poll');
      while (this.queue !== null && !switching.signal.aborted && this.pausing === null) {
        await this.pollUntil(switching.signal);
      }
    } catch (error) {
      if (!switching.signal.aborted) throw error;
    } finally {
      switching.abort();
      this.closing.signal.removeEventListener('abort', stop);
      if (await probing) this.mode = 'socket';
    }
  }

  /** Goes back to sockets, and ends the poll under way, as soon as one opens. */
  private async probeUntilOpen(switching: AbortController, isAtOnce: boolean): Promise<boolean> {
    if (this.input.WebSocket === undefined) return false;
    this.isProven = await this.probes.untilOpen(switching.signal, { isAtOnce });
    if (this.isProven) switching.abort();
    return this.isProven;
  }

  private async pollUntil(signal: AbortSignal) {
    const polling = new AbortController();
    const stop = () => polling.abort();
    this.polling = polling;
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.poll({ isWaiting: true, signal: polling.signal });
    } catch (error) {
      if (!polling.signal.aborted) throw error;
    } finally {
      this.polling = null;
      signal.removeEventListener('abort', stop);
    }
  }

  private async poll({ isWaiting, signal }: { isWaiting: boolean; signal?: AbortSignal }) {
    const { queue } = this;
    if (queue === null) return;
    const { http, timing } = this.input;
    const params = {
      queue_id: queue.id,
      last_event_id: queue.position,
      ...(isWaiting ? {} : { dont_block: true }),
    };
    const { status, body, retryAfterMs } = await http(
      { method: 'GET', path: '/events', params },
      {
        timeoutMs: isWaiting ? timing.pollMs : timing.connectMs + timing.answerMs,
        signal: signal ?? this.closing.signal,
      },
    );
    // It has ended, or the server was set back to an earlier state.
    if (status === 400) return this.leaveQueue();
    if (status !== 200) throw new ApiError(status, body, retryAfterMs);
    this.take(queue, body['events'] as readonly ChatEvent[]);
  }

  private take(queue: Queue, events: readonly ChatEvent[]) {
    const fresh = events.filter(({ id }) => id > queue.position);
    const last = fresh.at(-1);
    if (last === undefined || queue !== this.queue) return;
    queue.position = last.id;
    const told = fresh.filter(({ type }) => type !== 'heartbeat');
    if (told.length > 0) this.input.arrived(told);
    this.acknowledgeSoon(queue, fresh.length);
  }

  private acknowledgeSoon(queue: Queue, count: number) {
    const acknowledge = () => {
      this.ackTimer = undefined;
      const taken = this.input.taken(queue.position);
      if (taken > this.acknowledged) this.socket?.acknowledge(taken);
      this.acknowledged = Math.max(taken, this.acknowledged);
    };
    if (count >= UNACKNOWLEDGED_MAX) {
      clearTimeout(this.ackTimer);
      acknowledge();
    } else this.ackTimer ??= setTimeout(acknowledge, this.input.timing.ackMs);
  }

  private up(transport: ConnectionStatus['transport']) {
    const news = { first: 'live', resumed: 'caught-up', anew: 'started-anew' } as const;
    const state = news[this.origin];
    this.origin = 'resumed';
    if (this.queue !== null) this.queue.wasUp = true;
    this.upAt = this.input.now();
    if (isUp(this.status)) {
      // It goes on by other means: there was no gap in which anything could be missed.
      this.status = { ...this.status, transport };
      return this.input.statusChanged(this.status);
    }
    this.tell({ state, transport });
    if (state === 'live') return;
    this.newsTimer = setTimeout(() => this.tell({ state: 'live' }), this.input.timing.newsMs);
  }

  private wasSteady(): boolean {
    return this.upAt !== undefined && this.input.now() - this.upAt >= STEADY_MS;
  }

  /** Waits before the next attempt, and says so. */
  private async waitAfter(afterMs?: number) {
    if (this.closing.signal.aborted) return;
    const { input } = this;
    const { timing, random, now } = input;
    if (this.wasSteady()) this.failures = 0;
    this.upAt = undefined;
    const own = backoff(this.failures, {
      firstMs: timing.retryMs,
      maxMs: timing.retryMaxMs,
      random,
    });
    const ms = Math.max(own, afterMs ?? 0);
    this.failures += 1;
    this.waking = new AbortController();
    const state = input.isOnline() ? 'reconnecting' : 'offline';
    this.tell({ state, retryAt: now() + ms });
    await pause(ms, this.waking.signal);
  }

  private tell({
    transport = this.status.transport,
    ...status
  }: Partial<ConnectionStatus> & Pick<ConnectionStatus, 'state'>) {
    clearTimeout(this.newsTimer);
    if (this.status.state === 'ended') return;
    this.status = { ...status, transport };
    this.input.statusChanged(this.status);
  }
}

/** A queue is given up when others have taken it over so many times in a row. */
const REPLACEMENTS_MAX = 3;

/** Refusals that another attempt would get as well. */
const isFinal = (error: unknown) =>
  !(error instanceof NetworkError) &&
  !(error instanceof ApiError && (error.status === 429 || error.status >= 500));

const retryAfterOf = (error: unknown) =>
  error instanceof ApiError ? (retryAfterFields(error) ?? error.retryAfterMs) : undefined;

const retryAfterFields = ({ fields }: ApiError) => {
  const seconds = fields['retry-after'];
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
};
