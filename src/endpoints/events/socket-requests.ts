import {
  SOCKET_REQUEST_BYTES_WAITING_MAX,
  SOCKET_REQUESTS_MAX,
  SOCKET_REQUESTS_UNDER_WAY_MAX,
} from '../../domain/limits/sockets.ts';
import type { FrameWriter } from './frame-writer.ts';

type Frame = Readonly<Record<string, unknown>>;

/** A frame for the client, and an action for when it has been written. */
export interface Said {
  readonly frame: Frame;
  readonly after?: () => void;
}

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * The requests of one socket: a few are worked on at a time, the others wait in order. While the
 * client does not read, no new one is begun, and finished answers wait here, so that the socket's
 * buffer holds one answer more than its bound at most.
 */
export class SocketRequests {
  private readonly writer: FrameWriter;
  private waiting: Waiting[] = [];
  private bytesWaiting = 0;
  private underWay = 0;
  private held: Said[] = [];
  private heldBack: (() => void)[] = [];
  private isStarting = false;
  private isGone = false;

  constructor(writer: FrameWriter) {
    this.writer = writer;
  }

  /**
   * Starts a request when there is room for it; returns false if too many are unanswered.
   * `answered` has to follow.
   */
  add(bytes: number, start: () => void): boolean {
    if (this.underWay + this.waiting.length >= SOCKET_REQUESTS_MAX) return false;
    if (this.bytesWaiting + bytes > SOCKET_REQUEST_BYTES_WAITING_MAX) return false;
    this.waiting.push({ bytes, start });
    this.bytesWaiting += bytes;
    this.startSome();
    return true;
  }

  /** Called when a started request has been answered. */
  answered() {
    this.underWay -= 1;
    this.startSome();
  }

  /** Writes a frame, behind those that wait for room. */
  say(said: Said) {
    if (this.held.length === 0 && !this.writer.isFull()) this.write(said);
    else if (this.held.length < SOCKET_REQUESTS_MAX) this.held.push(said);
    else this.writer.tooSlow();
  }

  /**
   * Returns true if a large answer would have to wait: then `retry` is called when there is room.
   */
  holdsBack(retry: () => void): boolean {
    if (!this.writer.isFull()) return false;
    this.heldBack.push(retry);
    return true;
  }

  /** Called when the client has read what it was sent. */
  drained() {
    let count = 0;
    for (const said of this.held) {
      if (this.writer.isFull()) break;
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
    // Each of them finds that the client has gone.
    this.retry();
  }

  /** Retries in the order in which the requests were begun; nothing is started in between. */
  private retry() {
    const retries = this.heldBack;
    this.heldBack = [];
    this.isStarting = true;
    for (const retry of retries) retry();
    this.isStarting = false;
  }

  private write({ frame, after }: Said) {
    this.writer.send(frame);
    after?.();
  }

  /**
   * Starts waiting requests in a loop: one that is answered at once must not start the next within
   * itself.
   */
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
    return !this.isGone && this.underWay < SOCKET_REQUESTS_UNDER_WAY_MAX && !this.writer.isFull();
  }
}
