import type { Calls } from '../feed/message.ts';
import { type Destination, destinationKey, isWhole } from './destination.ts';

/** The server tells others again after this, or takes it that one has stopped. */
const AGAIN_MS = 10_000;
/** A writer who pauses so long has stopped. */
const STOPPED_MS = 5_000;

/** Tells others that one writes to them. */
export class TypingNotices {
  readonly #calls: Calls;
  readonly #now: () => number;
  #to: Destination | null = null;
  #toldAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(calls: Calls, now: () => number = Date.now) {
    this.#calls = calls;
    this.#now = now;
  }

  /** A key was pressed. */
  typed(to: Destination): void {
    if (!isWhole(to)) return;
    if (this.#to !== null && destinationKey(this.#to) !== destinationKey(to)) this.stop();
    if (this.#to === null || this.#now() - this.#toldAt >= AGAIN_MS) {
      this.#to = to;
      this.#toldAt = this.#now();
      this.#tell('start', to);
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), STOPPED_MS);
  }

  /** The message was sent, or the field is empty. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#to !== null) this.#tell('stop', this.#to);
    this.#to = null;
  }

  #tell(op: 'start' | 'stop', to: Destination) {
    const place =
      to.type === 'direct'
        ? { type: 'direct', to: to.userIds }
        : { type: 'channel', stream_id: to.channelId, topic: to.topic };
    // A refusal, or a broken connection, disturbs nobody who types.
    this.#calls.call('POST', '/typing', { op, ...place }).catch(() => undefined);
  }
}
