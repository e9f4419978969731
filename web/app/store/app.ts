import {
  ApiError,
  type Chat,
  type ChatEvent,
  type ChatStatus,
  type OutboxEntry,
  type Position,
} from '@confab/client';
import { type AnyEvent, Contents, type Section, type Snapshot } from '@confab/client/store';
import { batch, type Signal, signal } from '@preact/signals';
import { withOwnPictures } from './people/pictures.ts';

/** The account: it is not known yet, there is none, or its state is here. */
export type Phase = 'opening' | 'logged-out' | 'open';

const CONNECTING: ChatStatus = { state: 'connecting', transport: 'socket', waiting: 0 };

type EventsListener = (events: readonly ChatEvent[]) => void;

/** Does what an event says, and returns the sections that it changed. */
type Change = (state: Contents, event: AnyEvent) => readonly Section[];

/** The part of the connection that is there from the start. */
export type Caller = Pick<Chat, 'call' | 'retryNow'>;

/** The beginning of the connection. */
export interface Start {
  /** The queue of the snapshot; undefined if there is no snapshot yet. */
  readonly resume: Position | undefined;
  /** The account that logged in here last, if that is known. */
  readonly account: string;
}

/**
 * Holds all that the page knows: the state of the account, with one signal for each of its parts,
 * and the connection. Components read it, and `net` writes it.
 */
export class App {
  readonly phase = signal<Phase>('opening');
  readonly status = signal<ChatStatus>(CONNECTING);
  /** Why the account could not be opened, where that is not for want of a log-in. */
  readonly fault = signal<string | null>(null);
  readonly outbox = signal<readonly OutboxEntry[]>([]);
  /** Set when the account may be followed: the library for that is loaded after the first view. */
  readonly start: Signal<Start | null> = signal(null);
  readonly #state = signal<Contents | null>(null);
  readonly #revisions = new Map<Section, Signal<number>>();
  readonly #listeners = new Set<EventsListener>();
  readonly #renewed = new Set<() => void>();
  #chat: Caller | null = null;
  #change: Change = () => [];
  /** Sends messages; null until there is what does. */
  sender: Pick<Chat, 'send' | 'outbox'> | null = null;

  /** The connection, for calls. */
  get chat(): Caller {
    if (this.#chat === null) throw new Error('Nobody is logged in');
    return this.#chat;
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

  connected(chat: Caller): void {
    this.#chat = chat;
  }

  /** Takes what applies events, which is not needed to show a snapshot. Events come after it. */
  follow(change: Change): void {
    this.#change = change;
  }

  /** Takes the snapshot of a registration. */
  begin(snapshot: Snapshot): void {
    const isRenewed = this.#state.peek() !== null;
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
    batch(() => {
      const changed = new Set<Section>();
      for (const event of events) {
        for (const section of this.#change(state, withOwnPictures(event))) changed.add(section);
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
      this.#chat = null;
      this.sender = null;
      this.start.value = null;
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
