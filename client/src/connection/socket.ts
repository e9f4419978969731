import { NetworkError } from '../errors.ts';
import { FRAME_LENGTH_MAX, SOCKET_REQUESTS_MAX, type Timing } from '../limits.ts';
import { type ChatEvent, Close, type Codec, type ServerFrame, type SocketClass } from './frames.ts';
import { API_PREFIX, base64, type Credentials, type Reply, type Request } from './http.ts';

export interface SocketInput {
  readonly url: string;
  readonly credentials: Credentials;
  readonly WebSocket: SocketClass;
  readonly codec: Codec | undefined;
  readonly timing: Timing;
  readonly now: () => number;
  /** The socket is given up if it has not opened and greeted within this time. */
  readonly openMs: number;
}

/** The queue that a socket attaches to, and what it tells of it. */
export interface Attachment {
  readonly queueId: string;
  readonly lastEventId: number;
  greeted(): void;
  arrived(events: readonly ChatEvent[]): void;
}

/** Tells how a socket ended. */
export interface Ending {
  readonly why:
    | 'not-opened'
    /** Nothing came of it in time. */
    | 'hung'
    | 'broken'
    | 'queue-gone'
    | 'not-authenticated'
    | 'replaced';
  /** The milliseconds after which a server that stops wants its clients back. */
  readonly afterMs?: number;
}

interface Pending {
  readonly request: Request;
  readonly settle: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/**
 * One WebSocket, from its handshake to its end. Without an attachment it opens, asks for a sign of
 * life and has no events: that shows whether sockets work.
 */
export class FrameSocket {
  /** Resolves once, when the socket has closed or was given up. */
  readonly ended: Promise<Ending>;
  /** Resolves when the server has greeted, or given a sign of life. */
  readonly opened: Promise<true>;
  isGreeted = false;
  private readonly socket: InstanceType<SocketClass>;
  private readonly input: SocketInput;
  private readonly attachment: Attachment | undefined;
  private readonly pending = new Map<number, Pending>();
  private end: (ending: Ending) => void = () => undefined;
  private open: (isOpen: true) => void = () => undefined;
  private lastId = 0;
  private heardAt: number;
  private askedAt = 0;
  private isEnded = false;
  private watch: ReturnType<typeof setTimeout> | undefined;

  constructor(input: SocketInput, attachment?: Attachment) {
    this.input = input;
    this.attachment = attachment;
    this.heardAt = input.now();
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
    this.socket = new input.WebSocket(addressOf(input.url, attachment), protocolsOf(input));
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.attachment === undefined && this.say({ type: 'ping' });
    this.socket.onmessage = ({ data }: { data: unknown }) => this.receive(data);
    this.socket.onerror = () => undefined; // the close that follows says the same
    this.socket.onclose = ({ code, reason }: { code: number; reason: string }) =>
      this.close(this.endingOf(code, String(reason)));
    this.watch = setTimeout(() => this.check(), input.openMs);
  }

  /** Tests whether the request may go over this socket; a larger one goes over HTTP. */
  takes({ params, path }: Request): boolean {
    return (
      this.isGreeted &&
      this.socket.readyState === OPEN &&
      this.pending.size < SOCKET_REQUESTS_MAX &&
      !(params instanceof FormData) &&
      path !== '/events' &&
      path !== '/register'
    );
  }

  /** Sends a request. Returns undefined if it is too long for a frame. */
  ask(request: Request, signal?: AbortSignal): Promise<Reply> | undefined {
    const id = ++this.lastId;
    const { method, path, params, idempotencyKey } = request;
    const frame = { type: 'request', id, method, path, params, idempotency_key: idempotencyKey };
    const text = JSON.stringify(frame, wellFormed);
    if (text.length > FRAME_LENGTH_MAX) return undefined;
    return new Promise((resolve, reject) => {
      const left = () => {
        this.pending.delete(id);
        reject(signal?.reason);
      };
      const settled =
        <Value>(act: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener('abort', left);
          this.pending.delete(id);
          act(value);
        };
      signal?.addEventListener('abort', left, { once: true });
      this.pending.set(id, { request, settle: settled(resolve), fail: settled(reject) });
      this.sayText(text);
      this.watchAgain();
    });
  }

  acknowledge(lastEventId: number) {
    this.say({ type: 'ack', last_event_id: lastEventId });
  }

  /** Asks for a sign of life now, because the network is said to have changed. */
  probe() {
    // One that is still on its way may have set out on the former network.
    if (!this.isGreeted) return this.close({ why: 'broken' }, { isDead: true });
    this.heardAt = Math.min(this.heardAt, this.input.now() - this.input.timing.silenceMs);
    this.check();
  }

  /** Closes the socket; requests without an answer have an unknown outcome. */
  close(ending: Ending = { why: 'broken' }, { isDead = false } = {}) {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.watch);
    const { socket } = this;
    socket.onmessage = null;
    try {
      // A goodbye that nobody hears would be waited for.
      if (isDead && socket.terminate !== undefined) socket.terminate();
      else socket.close(1000);
    } catch {
      // It has closed by itself.
    }
    for (const { fail } of [...this.pending.values()]) {
      fail(new NetworkError('The connection broke before the answer came', 'unknown'));
    }
    this.end(ending);
  }

  private endingOf(code: number, reason: string): Ending {
    if (code === Close.notAuthenticated) return { why: 'not-authenticated' };
    if (code === Close.queueUnknown) return { why: 'queue-gone' };
    if (code === Close.replaced) return { why: 'replaced' };
    const afterMs = code === Close.stopping ? retryAfter(reason) : undefined;
    const why = this.isGreeted || code !== ABNORMAL ? 'broken' : 'not-opened';
    return afterMs === undefined ? { why } : { why, afterMs };
  }

  private receive(data: unknown) {
    this.heardAt = this.input.now();
    this.askedAt = 0;
    let frame: ServerFrame;
    try {
      frame = this.decoded(data);
    } catch {
      return this.close(); // half a frame is no frame of this server
    }
    if (frame.type === 'reply') {
      const { status, body } = frame;
      this.pending.get(frame.id)?.settle({ status, body, retryAfterMs: undefined });
    } else if (frame.type === 'events') this.attachment?.arrived(frame.events);
    else if (frame.type === 'hello') this.greeted(frame);
    else if (frame.type === 'pong' && this.attachment === undefined) this.greet();
  }

  private decoded(data: unknown): ServerFrame {
    const { codec } = this.input;
    if (typeof data === 'string') return JSON.parse(data) as ServerFrame;
    if (codec === undefined) throw new TypeError('a binary frame without a codec');
    return codec.decode(new Uint8Array(data as ArrayBuffer)) as ServerFrame;
  }

  private greeted({ resumed }: ServerFrame & { type: 'hello' }) {
    if (resumed) this.greet();
    else this.close({ why: 'queue-gone' });
  }

  private greet() {
    if (this.isGreeted) return;
    this.isGreeted = true;
    this.open(true);
    this.attachment?.greeted();
    this.watchAgain();
  }

  private say(frame: object) {
    this.sayText(JSON.stringify(frame));
  }

  private sayText(text: string) {
    const { codec } = this.input;
    // The event of its close is still to come, and says why; browsers would log a fault.
    if (this.socket.readyState !== OPEN) return;
    this.socket.send(codec === undefined ? text : codec.encode(JSON.parse(text)));
  }

  /**
   * Notices a connection that is open only at this end: nothing tells of one that a sleeping
   * computer, or a network that changed, has left behind.
   */
  private check() {
    const { timing, now } = this.input;
    if (!this.isGreeted) return this.close({ why: 'hung' }, { isDead: true });
    if (this.askedAt > 0) {
      if (now() - this.askedAt >= timing.pongMs) {
        return this.close({ why: 'broken' }, { isDead: true });
      }
    } else if (now() - this.heardAt >= this.patience()) {
      this.askedAt = now();
      this.say({ type: 'ping' });
    }
    this.watchAgain();
  }

  private watchAgain() {
    clearTimeout(this.watch);
    if (this.isEnded || !this.isGreeted) return;
    const { timing, now } = this.input;
    const [since, ms] =
      this.askedAt > 0 ? [this.askedAt, timing.pongMs] : [this.heardAt, this.patience()];
    this.watch = setTimeout(() => this.check(), Math.max(0, since + ms - now()) + 1);
  }

  private patience() {
    const { answerMs, silenceMs } = this.input.timing;
    return this.pending.size > 0 ? answerMs : silenceMs;
  }
}

/** A socket that is about to close takes no frames, and says nothing of that. */
const OPEN = 1;
/** The code of a socket that was never opened, or ended without a closing frame. */
const ABNORMAL = 1006;

/** The server refuses text that UTF-8 cannot hold, of which forms have a replacement. */
const wellFormed = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replace(/\p{Cs}/gu, '\ufffd') : value;

function addressOf(url: string, attachment: Attachment | undefined): string {
  const address = `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${API_PREFIX}/events/socket`;
  if (attachment === undefined) return address;
  const { queueId, lastEventId } = attachment;
  return `${address}?${new URLSearchParams({ queue_id: queueId, last_event_id: String(lastEventId) })}`;
}

/** Browsers cannot set the header of credentials, so a protocol that is offered has them. */
function protocolsOf({ credentials, codec }: SocketInput): string[] {
  const protocol = codec === undefined ? 'chat.v1.json' : 'chat.v1.msgpack';
  if (credentials === 'cookie') return [protocol];
  const text = base64(credentials).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  return [protocol, `auth.basic.${text}`];
}

function retryAfter(reason: string): number | undefined {
  try {
    const ms = Number((JSON.parse(reason) as { retry_after_ms?: unknown }).retry_after_ms);
    return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}
