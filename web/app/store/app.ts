import { ApiError, type ChatEvent, type OutboxEntry } from '@confab/client';
import type { ConnectionStatus, Line, Outbox } from '@confab/client/parts';
import { type AnyEvent, Contents, type Section, type Snapshot } from '@confab/client/store';
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { withOwnPictures } from './people/pictures.ts';

/** The account: it is not known yet, there is none, or its state is here. */
export type Phase = 'opening' | 'logged-out' | 'open';

const CONNECTING: ConnectionStatus = { state: 'connecting', transport: 'socket' };

type EventsListener = (events: readonly ChatEvent[]) => void;

/** Does what an event says, and returns the sections that it changed. */
type Change = (state: Contents, event: AnyEvent) => readonly Section[];

/** What is sent, and what became of it. */
export type Sender = Pick<Outbox, 'add' | 'retry' | 'discard'>;

/** More events than these come only to a page whose other parts cannot be loaded. */
export const EVENTS_WAITING_MAX = 10_000;

/**
 * Holds all that the page knows: the state of the account, with one signal for each of its parts,
 * and the connection. Components read it, and `net` writes it.
 */
export class App {
  readonly phase = signal<Phase>('opening');
  readonly status = signal<ConnectionStatus>(CONNECTING);
  /** Why the account could not be opened, where that is not for want of a log-in. */
  readonly fault = signal<string | null>(null);
  readonly outbox = signal<readonly OutboxEntry[]>([]);
  /** The number of messages that wait to be sent. */
  readonly waiting: ReadonlySignal<number> = computed(
    () => this.outbox.value.filter(({ state }) => state === 'pending').length,
  );
  readonly line: Signal<Line | null> = signal(null);
  /** True once events were left out: only another snapshot helps. */
  readonly isBehind = signal(false);
  /** Null until the part that sends messages is loaded. */
  sender: Sender | null = null;
  readonly #state = signal<Contents | null>(null);
  readonly #revisions = new Map<Section, Signal<number>>();
  readonly #listeners = new Set<EventsListener>();
  readonly #renewed = new Set<() => void>();
  #change: Change | null = null;
  /** Events that came before there is something to apply them. */
  #waiting: ChatEvent[] = [];

  /** The connection, for calls. */
  get chat(): Line {
    const line = this.line.peek();
    if (line === null) throw new Error('Nobody is logged in');
    return line;
  }

  /** Returns the state. A signal or a component that reads it is told when a section changes. */
  read(...sections: readonly Section[]): Contents {
    const state = this.#state.value;
    if (state === null) throw new Error('Nobody is logged in');
    for (const section of sections) void this.#revision(section).value;
    return state;
  }

  /** Calls a listener with the events of a frame, after the state has them. */
  onEvents(listener: EventsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls a listener when another snapshot came after a gap: what was loaded may be old. */
  onRenewed(listener: () => void): () => void {
    this.#renewed.add(listener);
    return () => this.#renewed.delete(listener);
  }

  connected(line: Line): void {
    this.line.value = line;
  }

  /** Takes what applies events, which is not needed to show a snapshot, and applies those that wait. */
  follow(change: Change): void {
    this.#change = change;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length > 0) this.apply(events);
  }

  /** Takes the snapshot of a registration. */
  begin(snapshot: Snapshot): void {
    const isRenewed = this.#state.peek() !== null;
    // They are in the snapshot.
    this.#waiting = [];
    batch(() => {
      this.#state.value = new Contents(snapshot);
      this.phase.value = 'open';
    });
    if (isRenewed) for (const listener of this.#renewed) listener();
  }

  /** Takes the events of a frame, of which each section that changes is told once. */
  apply(events: readonly ChatEvent[]): void {
    const state = this.#state.peek();
    if (state === null) return;
    const change = this.#change;
    if (change === null) {
      if (this.#waiting.length < EVENTS_WAITING_MAX) this.#waiting.push(...events);
      else this.isBehind.value = true;
      return;
    }
    batch(() => {
      const changed = new Set<Section>();
      for (const event of events) {
        for (const section of change(state, withOwnPictures(event))) changed.add(section);
      }
      this.bump(...changed);
      for (const listener of this.#listeners) listener(events);
    });
  }

  /** Tells that sections were changed by something else than events. */
  bump(...sections: readonly Section[]): void {
    batch(() => {
      for (const section of sections) this.#revision(section).value += 1;
    });
  }

  /** Forgets the account; a refusal is told, except that nobody is logged in. */
  end(error: Error | null): void {
    batch(() => {
      this.fault.value = error instanceof ApiError && error.status !== 401 ? error.message : null;
      this.phase.value = 'logged-out';
      this.status.value = CONNECTING;
      this.outbox.value = [];
      this.#state.value = null;
      this.line.value = null;
    });
  }

  #revision(section: Section): Signal<number> {
    let revision = this.#revisions.get(section);
    if (revision === undefined) {
      revision = signal(0);
      this.#revisions.set(section, revision);
    }
    return revision;
  }
}

export const app = new App();
