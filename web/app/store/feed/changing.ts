import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Calls, WireEvent } from './message.ts';

/** The server tells others again after this, or takes it that one has stopped. */
const AGAIN_MS = 10_000;
/** A writer who pauses so long has stopped. */
const STOPPED_MS = 5_000;
/** People who go away do not say that they have stopped: it ends by itself. */
const EXPIRED_MS = 15_000;

type Timer = ReturnType<typeof setTimeout>;

/** Tells others that one changes a message, and knows which messages others change. */
export class Changing {
  /** The messages that somebody else changes now, with the ids of those who do. */
  readonly others: ReadonlySignal<ReadonlyMap<number, number>>;
  readonly #others: Signal<ReadonlyMap<number, number>> = signal(new Map());
  readonly #calls: Calls;
  readonly #ownId: number;
  readonly #expiries = new Map<number, Timer>();
  #own: { readonly id: number; toldAt: number; timer: Timer } | null = null;

  constructor(calls: Calls, ownId: number) {
    this.#calls = calls;
    this.#ownId = ownId;
    this.others = this.#others;
  }

  /** A key was pressed in the text of a message. */
  typed(id: number): void {
    if (this.#own?.id !== id) this.stop();
    const now = Date.now();
    const isTold = this.#own !== null && now - this.#own.toldAt < AGAIN_MS;
    if (!isTold) this.#tell(id, 'start');
    clearTimeout(this.#own?.timer);
    const toldAt = isTold ? (this.#own?.toldAt ?? now) : now;
    this.#own = { id, toldAt, timer: setTimeout(() => this.stop(), STOPPED_MS) };
  }

  /** The message was changed, or left as it was. */
  stop(): void {
    if (this.#own === null) return;
    clearTimeout(this.#own.timer);
    this.#tell(this.#own.id, 'stop');
    this.#own = null;
  }

  /** Applies an event of the connection. */
  apply(event: WireEvent): void {
    const {
      message_id: id,
      sender_id: by,
      op,
    } = event as {
      readonly message_id?: number;
      readonly sender_id?: number;
      readonly op?: string;
    };
    if (id === undefined) return;
    const isStart = event.type === 'typing_edit_message' && op === 'start';
    if (isStart && by !== undefined && by !== this.#ownId) this.#begin(id, by);
    // A message that was changed is not being changed any more.
    else if (event.type === 'typing_edit_message' || event.type === 'update_message') this.#end(id);
  }

  #begin(id: number, by: number) {
    clearTimeout(this.#expiries.get(id));
    this.#expiries.set(
      id,
      setTimeout(() => this.#end(id), EXPIRED_MS),
    );
    if (this.#others.value.get(id) !== by)
      this.#others.value = new Map(this.#others.value).set(id, by);
  }

  #end(id: number) {
    if (!this.#others.value.has(id)) return;
    clearTimeout(this.#expiries.get(id));
    this.#expiries.delete(id);
    const rest = new Map(this.#others.value);
    rest.delete(id);
    this.#others.value = rest;
  }

  #tell(id: number, op: 'start' | 'stop') {
    // A refusal, or a broken connection, disturbs nobody who types.
    this.#calls
      .call('POST', '/messages/{message_id}/typing', { message_id: id, op })
      .catch(() => undefined);
  }
}
