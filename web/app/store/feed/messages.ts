import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { keyOf, type Narrow } from '../route.ts';
import { type Calls, isRead, type Message, type WireEvent } from './message.ts';

/** A page of messages: a few screens. */
const PAGE = 100;
/** Around what is opened: a screen above it, and what fills the view below it. */
const BEFORE = 60;
const AFTER = 60;
/** A view keeps so many messages, some 10 MB with their texts; the rest is fetched again. */
export const MESSAGES_MAX = 5_000;
/** A view that is full drops so many at once: each drop costs as much as making all its rows. */
const DROPPED = 500;
/** When the account decides about a topic, a view is loaded again with so many on each side. */
const RENEWED_MAX = 1_000;
/** Events are noted while an answer is waited for; after so many, it is asked for again. */
const NOTED_MAX = 10_000;
/** Loads that are overtaken by too many events are tried so often. */
const TRIES_MAX = 3;

/** The form in which messages are asked for. */
export const FORM = { apply_markdown: true, client_gravatar: true, allow_empty_topic_name: true };

/** The beginning of a view: a message, or a place by what the reader has read. */
export type Anchor = number | 'first_unread' | 'newest' | 'oldest';

export type Loading = 'none' | 'first' | 'older' | 'newer';

/** Keeps the messages of a feed as the server has them, by events. */
export interface Follower {
  /** Applies an event to the messages that are shown. */
  apply(event: WireEvent): void;
  /** Brings messages of an answer up to date: events may be newer than it. */
  current(messages: readonly Message[], events: readonly WireEvent[]): readonly Message[];
  /** Looks again for what came or joined while an answer was on its way. */
  catchUp(events: readonly WireEvent[]): void;
  /** Drops what was asked, since the messages are about to be loaded again. */
  forget(): void;
}

type MakeFollower = (feed: MessageFeed) => Follower;

let makeFollower: MakeFollower | null = null;

/** Takes what follows events, which is not needed to show messages. No event comes before it. */
export function followWith(make: MakeFollower): void {
  makeFollower = make;
}

export interface Page {
  readonly messages: readonly Message[];
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
  readonly anchor?: number;
}

/**
 * The messages of a narrow around a place, kept as the server has them by the events of the
 * connection. An answer that is on its way when events come is brought up to date by them.
 */
export class MessageFeed {
  readonly narrow: Narrow;
  readonly key: string;
  /** The messages that are loaded, ascending. */
  readonly messages: Signal<readonly Message[]> = signal([]);
  readonly unreadCount: ReadonlySignal<number> = computed(
    () => this.messages.value.filter((message) => !isRead(message)).length,
  );
  readonly isReady = signal(false);
  readonly foundOldest = signal(false);
  readonly foundNewest = signal(false);
  readonly loading: Signal<Loading> = signal('none');
  /** Resolves when the view is open, or could not be opened. */
  opened: Promise<void> = Promise.resolve();
  /** Why the last load failed, in the server's words; null if it did not. */
  readonly fault: Signal<string | null> = signal(null);
  /** The first unread message when the view was opened: the line "new" is above it. */
  readonly firstUnreadId: Signal<number | null> = signal(null);
  /** The message that the view was opened at. */
  readonly anchorId: Signal<number | null> = signal(null);
  /** The row at the top of the view when it was left; null if that was at the end. */
  leftAt: string | null = null;
  /** The message that is read now: what is far from it is dropped first. */
  readingId: number | null = null;
  readonly calls: Calls;
  readonly ownId: number;
  /** Counts first loads, so that the answer to one that was overtaken is dropped. */
  generation = 0;
  #follower: Follower | null = null;
  /** The events since the oldest request that is not answered. */
  #noted: WireEvent[] = [];
  #waiting = 0;

  constructor(narrow: Narrow, { calls, ownId }: { readonly calls: Calls; readonly ownId: number }) {
    this.narrow = narrow;
    this.key = keyOf(narrow);
    this.calls = calls;
    this.ownId = ownId;
  }

  /** Loads the messages around an anchor, in place of those that are there. */
  open(anchor: Anchor): Promise<void> {
    this.generation += 1;
    this.#follower?.forget();
    this.loading.value = 'first';
    this.opened = this.#load({ anchor, num_before: BEFORE, num_after: AFTER }, (page, events) => {
      this.foundOldest.value = page.found_oldest;
      this.foundNewest.value = page.found_newest;
      this.messages.value = this.#current(page.messages, events);
      this.isReady.value = true;
      this.anchorId.value = page.anchor ?? null;
      if (anchor === 'first_unread' || this.firstUnreadId.value === null) this.noteUnread();
    });
    return this.opened;
  }

  async loadOlder(): Promise<void> {
    await this.#page('older');
  }

  async loadNewer(): Promise<void> {
    await this.#page('newer');
  }

  /** Draws the line "new" above the first message that is not read now. */
  noteUnread(): void {
    const first = this.messages.value.find(({ flags }) => !flags.includes('read'));
    this.firstUnreadId.value = first?.id ?? null;
  }

  /** Applies an event of the connection. */
  apply(event: WireEvent): void {
    if (this.#waiting > 0) this.#noted.push(event);
    if (this.isReady.value) this.#followed().apply(event);
  }

  /** Drops all but the newest or the read messages, of a view that is not shown. */
  shrink(count: number): void {
    this.keep(this.messages.value, count);
  }

  /**
   * Loads again what is loaded, around what is read: which messages a change of the account brings
   * or takes is not said by its event. What is there stays until the answer replaces it.
   */
  async renew(): Promise<void> {
    const { messages, readingId } = this;
    this.generation += 1;
    this.#follower?.forget();
    const at = messages.value.findIndex(({ id }) => id >= (readingId ?? Number.POSITIVE_INFINITY));
    const before = at < 0 ? messages.value.length : at;
    const params = {
      anchor: readingId ?? 'newest',
      num_before: Math.min(before + BEFORE, RENEWED_MAX),
      num_after: Math.min(messages.value.length - before + AFTER, RENEWED_MAX),
    };
    await this.#load(params, (page, events) => {
      this.foundOldest.value = page.found_oldest;
      this.foundNewest.value = page.found_newest;
      this.messages.value = this.#current(page.messages, events);
    });
  }

  async #page(which: 'older' | 'newer') {
    const isOlder = which === 'older';
    const { messages } = this;
    const edge = isOlder ? messages.value[0] : messages.value.at(-1);
    const isDone = isOlder ? this.foundOldest.value : this.foundNewest.value;
    if (isDone || edge === undefined || this.loading.value !== 'none') return;
    this.loading.value = which;
    const params = {
      anchor: edge.id,
      include_anchor: false,
      num_before: isOlder ? PAGE : 0,
      num_after: isOlder ? 0 : PAGE,
    };
    await this.#load(params, (page, events) => {
      const added = this.#current(page.messages, events);
      if (isOlder) this.foundOldest.value = page.found_oldest;
      else this.foundNewest.value = page.found_newest;
      this.keep(merged(messages.value, added), MESSAGES_MAX, isOlder ? 'oldest' : 'newest');
    });
  }

  /** Fetches a page and puts it to use, unless the view was opened elsewhere meanwhile. */
  async #load(params: object, use: (page: Page, events: readonly WireEvent[]) => void) {
    const generation = this.generation;
    const isWanted = () => generation === this.generation;
    this.fault.value = null;
    const ask = () =>
      this.calls.call('GET', '/messages', { ...params, narrow: this.narrow, ...FORM });
    try {
      for (let tries = 1, isDone = false; !isDone && isWanted(); tries++) {
        await this.noting(ask, (reply, events) => {
          isDone = !isWanted() || events.length < NOTED_MAX || tries === TRIES_MAX;
          if (!isDone || !isWanted()) return;
          batch(() => {
            this.loading.value = 'none';
            use(reply as Page, events); // the server's own answer to this call
            if (events.length > 0) this.#followed().catchUp(events);
          });
        });
      }
    } catch (error) {
      if (!isWanted()) return;
      this.loading.value = 'none';
      this.fault.value = error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * Asks for something, and uses the answer together with the events that came meanwhile. Both
   * happen in one step, so that no event falls between.
   */
  async noting<Reply>(
    ask: () => Promise<Reply>,
    use: (reply: Reply, events: readonly WireEvent[]) => void,
  ) {
    const from = this.#noted.length;
    this.#waiting += 1;
    try {
      const reply = await ask();
      use(reply, this.#noted.slice(from));
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#noted = [];
    }
  }

  #current(messages: readonly Message[], events: readonly WireEvent[]) {
    return events.length === 0 ? messages : this.#followed().current(messages, events);
  }

  #followed(): Follower {
    if (makeFollower === null) throw new Error('An event came before what follows it');
    this.#follower ??= makeFollower(this);
    return this.#follower;
  }

  /** Keeps the messages around what is read, or those at the end that was asked for. */
  keep(messages: readonly Message[], count: number, end?: 'oldest' | 'newest') {
    if (messages.length <= count) {
      this.messages.value = messages;
      return;
    }
    const kept = count === MESSAGES_MAX ? MESSAGES_MAX - DROPPED : count;
    const at = messages.findIndex(({ id }) => id >= (this.readingId ?? Number.POSITIVE_INFINITY));
    const readsOld = at >= 0 && at < messages.length / 2;
    if (end === 'oldest' || (end === undefined && readsOld)) {
      this.messages.value = messages.slice(0, kept);
      this.foundNewest.value = false;
    } else {
      this.messages.value = messages.slice(messages.length - kept);
      this.foundOldest.value = false;
    }
  }
}

/** Joins two ascending lists; a message of the second replaces the same one of the first. */
export function merged(one: readonly Message[], other: readonly Message[]): readonly Message[] {
  if (other.length === 0) return one;
  const byId = new Map([...one, ...other].map((message) => [message.id, message]));
  return [...byId.values()].sort((first, second) => first.id - second.id);
}
