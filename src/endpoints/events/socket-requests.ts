import {
  SOCKET_REQUEST_BYTES_WAITING_MAX,
  SOCKET_REQUESTS_MAX,
  SOCKET_REQUESTS_UNDER_WAY_MAX,
} from '../../domain/limits.ts';
import type { SocketLine } from './socket-line.ts';

type Frame = Readonly<Record<string, unknown>>;

/** A frame for the client, and what follows once it has been written. */
export interface Said {
  readonly frame: Frame;
  readonly after?: () => void;
}

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * The requests of one socket: a few are worked on at a time, the others wait in order. While the client does not read
 * what it was sent, nothing new is begun, and what has been worked out already waits here, so that the socket's buffer
 * holds one answer more than its bound at most.
 */
export class SocketRequests {
  private readonly line: SocketLine;
  private waiting: Waiting[] = [];
  private bytesWaiting = 0;
  private underWay = 0;
  private held: Said[] = [];
  private heldBack: (() => void)[] = [];
  private isStarting = false;
  private isGone = false;

  constructor(line: SocketLine) {
    this.line = line;
  }

  /** Starts a request when there is room for it; false when too many are unanswered. `answered` has to follow. */
  add(bytes: number, start: () => void): boolean {
    if (this.underWay + this.waiting.length >= SOCKET_REQUESTS_MAX) return false;
    if (this.bytesWaiting + bytes > SOCKET_REQUEST_BYTES_WAITING_MAX) return false;
    this.waiting.push({ bytes, start });
    this.bytesWaiting += bytes;
    this.startSome();
    return true;
  }

  /** One of those that were started has been answered. */
  answered() {
    this.underWay -= 1;
    this.startSome();
  }

  /** Writes a frame, behind those that the client has yet to make room for. */
  say(said: Said) {
    if (this.held.length === 0 && !this.line.isFull()) this.write(said);
    else if (this.held.length < SOCKET_REQUESTS_MAX) this.held.push(said);
    else this.line.tooSlow();
  }

  /** Whether a large answer would have to wait: then `retry` is called when it does not. */
  holdsBack(retry: () => void): boolean {
    if (!this.line.isFull()) return false;
    this.heldBack.push(retry);
    return true;
  }

  /** The client has read what it was sent. */
  drained() {
    let count = 0;
    for (const said of this.held) {
      if (this.line.isFull()) break;
      this.write(said);
      count += 1;
    }
    this.held = this.held.slice(count);
    if (this.held.length > 0) return;
    this.retry();
    this.startSome();
  }

  gone() {
    this.isGone = true;
    this.waiting = [];
    this.bytesWaiting = 0;
    this.held = [];
    // Each finds that nobody is there any more.
    this.retry();
  }

  /** Those that were begun first are answered first: nothing is started in between. */
  private retry() {
    const retries = this.heldBack;
    this.heldBack = [];
    this.isStarting = true;
    for (const retry of retries) retry();
    this.isStarting = false;
  }

  private write({ frame, after }: Said) {
    this.line.send(frame);
    after?.();
  }

  /** One that is answered at once starts the next: by this loop, not within itself. */
  private startSome() {
    if (this.isStarting) return;
    this.isStarting = true;
    while (this.canStart()) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.bytesWaiting -= next.bytes;
      this.underWay += 1;
      next.start();
    }
    this.isStarting = false;
  }

  private canStart(): boolean {
    return !this.isGone && this.underWay < SOCKET_REQUESTS_UNDER_WAY_MAX && !this.line.isFull();
  }
}
