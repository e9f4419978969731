import type { Snapshot } from './calls.ts';
import type { ChatEvent } from './connection/frames.ts';
import type { ConnectionStatus } from './connection/status.ts';
import { Emitter } from './emitter.ts';
import type { Fields } from './errors.ts';
import { ITERATOR_EVENTS_MAX } from './limits.ts';
import { Line, type LineOptions, type Position } from './line.ts';
import type { Outbox, OutboxEntry } from './outbox/outbox.ts';
import { outboxOf } from './outbox/outbox-of.ts';
import { type Message, memoryOutbox, type OutboxStorage } from './outbox/storage.ts';

export interface ConnectOptions extends LineOptions {
  /** Keeps messages until they are sent; in memory by default. */
  readonly outbox?: OutboxStorage;
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

/** Connects to a server. It returns at once; the first snapshot comes later. */
export function connect(options: ConnectOptions): Chat {
  return new Chat(options);
}

/** A client of one account: its events, its requests, and the messages that it sends. */
export class Chat extends Line {
  readonly outbox: Pick<Outbox, 'entries' | 'discard' | 'retry'>;
  private readonly emitter = new Emitter<ChatEvents>();
  private readonly sending: Outbox;
  private readonly iterators = new Set<EventBuffer>();
  private isFirst = true;

  constructor(options: ConnectOptions) {
    super(options);
    this.sending = outboxOf(this, options.outbox ?? memoryOutbox(), {
      changed: (entries) => this.outboxChanged(entries),
      failed: (error) => this.emitter.emit('error', error),
    });
    this.outbox = this.sending;
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
   * Puts a message into the outbox, from which it is sent once, whatever happens in between. The
   * messages of a conversation keep their order. It throws a `FullError` if the outbox is full.
   */
  send(message: Message, { key }: { readonly key?: string } = {}): OutboxEntry {
    return this.sending.add(message, key);
  }

  protected override statusChanged({ state }: ConnectionStatus) {
    if (state === 'ended') {
      for (const buffer of this.iterators) buffer.wake();
      this.sending.close();
    }
    this.emitter.emit('status', this.status);
  }

  protected override registered(snapshot: Fields) {
    const { isFirst } = this;
    this.isFirst = false;
    // The reply to `POST /register` is a snapshot, as the description of the API says.
    this.emitter.emit('snapshot', snapshot as unknown as Snapshot, { isFirst });
  }

  protected override arrived(events: readonly ChatEvent[]) {
    for (const buffer of this.iterators) buffer.push(events);
    this.emitter.emit('events', events);
    for (const event of events) this.emitter.emit('event', event);
    for (const buffer of this.iterators) {
      if (buffer.isFull) this.connection.pauseReading(buffer.drained());
    }
  }

  protected override taken(position: number) {
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
