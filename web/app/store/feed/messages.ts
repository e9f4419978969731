import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { keyOf, type Narrow } from '../route.ts';
import { matches } from './matching.ts';
import { type Calls, isRead, type Message, type WireEvent } from './message.ts';
import { applyToMessage, changesNarrow, messageIn, touchedIn } from './message-events.ts';

/** A page of messages: a few screens. */
const PAGE = 100;
/** Around what is opened: a screen above it, and what fills the view below it. */
const BEFORE = 60;
const AFTER = 60;
/** A view keeps so many messages, some 10 MB with their texts; the rest is fetched again. */
export const MESSAGES_MAX = 5_000;
/** After so many that come or go by one event, the whole view is loaded again. */
const ASKED_MAX = 500;
/** When the account decides about a topic, a view is loaded again with so many on each side. */
const RENEWED_MAX = 1_000;
/** Events are noted while an answer is waited for; after so many, it is asked for again. */
const NOTED_MAX = 10_000;
/** Loads that are overtaken by too many events are tried so often. */
const TRIES_MAX = 3;

/** The form in which messages are asked for. */
const FORM = { apply_markdown: true, client_gravatar: true, allow_empty_topic_name: true };

/** The beginning of a view: a message, or a place by what the reader has read. */
export type Anchor = number | 'first_unread' | 'newest' | 'oldest';

export type Loading = 'none' | 'first' | 'older' | 'newer';

interface Page {
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
  readonly #calls: Calls;
  readonly #ownId: number;
  /** The events since the oldest request that is not answered. */
  #noted: WireEvent[] = [];
  #waiting = 0;
  /** Counts first loads, so that the answer to one that was overtaken is dropped. */
  #generation = 0;
  /** Counts questions about single messages; each message has the number of the last one. */
  #asks = 0;
  readonly #lastAsks = new Map<number, number>();

  constructor(narrow: Narrow, { calls, ownId }: { readonly calls: Calls; readonly ownId: number }) {
    this.narrow = narrow;
    this.key = keyOf(narrow);
    this.#calls = calls;
    this.#ownId = ownId;
  }

  /** Loads the messages around an anchor, in place of those that are there. */
  async open(anchor: Anchor): Promise<void> {
    this.#generation += 1;
    this.#lastAsks.clear();
    this.loading.value = 'first';
    await this.#load({ anchor, num_before: BEFORE, num_after: AFTER }, (page, events) => {
      this.foundOldest.value = page.found_oldest;
      this.foundNewest.value = page.found_newest;
      this.messages.value = this.#current(page.messages, events);
      this.isReady.value = true;
      this.anchorId.value = page.anchor ?? null;
      if (anchor === 'first_unread' || this.firstUnreadId.value === null) this.noteUnread();
    });
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
    if (!this.isReady.value) return;
    if (changesNarrow(event, this.narrow)) {
      void this.#renew();
      return;
    }
    this.#change(event);
    this.#receive(messageIn(event) ?? undefined);
    this.#join(event);
  }

  /** Drops all but the newest or the read messages, of a view that is not shown. */
  shrink(count: number): void {
    this.#keep(this.messages.value, count);
  }

  /**
   * Loads again what is loaded, around what is read: which messages a change of the account brings
   * or takes is not said by its event. What is there stays until the answer replaces it.
   */
  async #renew() {
    const { messages, readingId } = this;
    this.#generation += 1;
    this.#lastAsks.clear();
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
      this.#keep(merged(messages.value, added), MESSAGES_MAX, isOlder ? 'oldest' : 'newest');
    });
  }

  /** Fetches a page and puts it to use, unless the view was opened elsewhere meanwhile. */
  async #load(params: object, use: (page: Page, events: readonly WireEvent[]) => void) {
    const generation = this.#generation;
    const isWanted = () => generation === this.#generation;
    this.fault.value = null;
    const ask = () =>
      this.#calls.call('GET', '/messages', { ...params, narrow: this.narrow, ...FORM });
    try {
      for (let tries = 1, isDone = false; !isDone && isWanted(); tries++) {
        await this.#noting(ask, (reply, events) => {
          isDone = !isWanted() || events.length < NOTED_MAX || tries === TRIES_MAX;
          if (!isDone || !isWanted()) return;
          batch(() => {
            this.loading.value = 'none';
            use(reply as Page, events); // the server's own answer to this call
            this.#catchUp(events);
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
  async #noting<Reply>(
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

  /** Brings messages of an answer up to date: events may be newer than it. */
  #current(messages: readonly Message[], events: readonly WireEvent[]) {
    if (events.length === 0) return messages;
    return messages.flatMap((message) => {
      let current: Message | null = message;
      for (const event of events) current = current && applyToMessage(current, event);
      return current === null || (current !== message && this.#matches(current) === false)
        ? []
        : [current];
    });
  }

  /** Looks again for what came or joined while an answer was on its way. */
  #catchUp(events: readonly WireEvent[]) {
    // The answer may be older than what was decided meanwhile.
    if (events.some((event) => changesNarrow(event, this.narrow))) {
      void this.#renew();
      return;
    }
    for (const [index, event] of events.entries()) {
      const message = messageIn(event);
      // The message may have been changed or moved since.
      if (message !== null) this.#receive(this.#current([message], events.slice(index + 1))[0]);
      this.#join(event, true);
    }
  }

  #matches(message: Message): boolean | null {
    return matches(message, this.narrow, this.#ownId);
  }

  /** Takes a new message, if the narrow selects it. */
  #receive(message: Message | undefined) {
    if (message === undefined || !this.foundNewest.value) return;
    const all = this.messages.value;
    const isLast = message.id > (all.at(-1)?.id ?? 0);
    if (!isLast && all.some(({ id }) => id === message.id)) return;
    const is = this.#matches(message);
    if (is === null) this.#ask([message.id]);
    else if (is) this.#keep(isLast ? [...all, message] : merged(all, [message]), MESSAGES_MAX);
  }

  /** Changes the messages that an event is about, and drops those that leave. */
  #change(event: WireEvent) {
    const before = this.messages.value;
    let isChanged = false;
    const unsure: number[] = [];
    const touched = new Set(touchedIn(event, this.narrow));
    const after = before.flatMap((message) => {
      const changed = applyToMessage(message, event);
      if (changed === message) return [message];
      isChanged = true;
      if (changed === null) return [];
      if (!touched.has(message.id)) return [changed];
      const is = this.#matches(changed);
      if (is === null) unsure.push(message.id);
      // A view of unread messages keeps those that are read in it, until it is opened again.
      return is === false && !this.#isUnreadView() ? [] : [changed];
    });
    if (isChanged) this.messages.value = after;
    if (unsure.length > 0) this.#ask(unsure);
  }

  #isUnreadView() {
    return this.narrow.some(({ operator, operand }) => operator === 'is' && operand === 'unread');
  }

  /**
   * Asks for the messages that an event may have brought into the view. Those of an answer that is
   * older than the event are asked for as well, where only the server knows whether they stay.
   */
  #join(event: WireEvent, isLate = false) {
    const touched = touchedIn(event, this.narrow);
    if (touched.length === 0) return;
    const known = new Map(this.messages.value.map((message) => [message.id, message]));
    const ids = touched.filter((id) => {
      const message = known.get(id);
      if (message === undefined) return this.#isWithin(id);
      return isLate && this.#matches(message) === null;
    });
    if (ids.length > 0) this.#ask(ids);
  }

  /** Tells whether a message with this id would be among those that are loaded. */
  #isWithin(id: number) {
    const { messages, foundOldest, foundNewest } = this;
    const [first] = messages.value;
    const last = messages.value.at(-1);
    if (first === undefined || last === undefined) return foundOldest.value || foundNewest.value;
    return (foundOldest.value || id > first.id) && (foundNewest.value || id < last.id);
  }

  /** Has the server say which of these messages the narrow selects, and shows exactly those. */
  #ask(ids: readonly number[]) {
    if (ids.length > ASKED_MAX) {
      void this.open(this.readingId ?? 'newest');
      return;
    }
    const generation = this.#generation;
    this.#asks += 1;
    const ask = this.#asks;
    for (const id of ids) this.#lastAsks.set(id, ask);
    void this.#noting(
      () => this.#verdicts(ids),
      ({ messages, selected }, events) => {
        if (generation !== this.#generation) return;
        // The answer to a later question about the same message says more.
        const asked = new Set(ids.filter((id) => this.#lastAsks.get(id) === ask));
        for (const id of asked) this.#lastAsks.delete(id);
        const found = this.#current(messages, events).filter(
          (message) =>
            asked.has(message.id) &&
            this.#isWithin(message.id) &&
            (this.#matches(message) ?? selected.has(message.id)),
        );
        const rest = this.messages.value.filter(({ id }) => !asked.has(id));
        this.#keep(merged(rest, found), MESSAGES_MAX);
      },
    ).catch(() => {
      // The connection broke: the view is loaded again when it is back.
      if (generation === this.#generation) this.fault.value = 'Some messages are missing';
    });
  }

  /** Fetches messages, and which of them the narrow selects as far as only the server knows. */
  async #verdicts(ids: readonly number[]) {
    const list = await this.#calls.call('GET', '/messages', { message_ids: ids, ...FORM });
    const { messages } = list as Page; // the server's own answer to this call
    const unsure = messages.filter((message) => this.#matches(message) === null);
    if (unsure.length === 0) return { messages, selected: new Set<number>() };
    const answer = await this.#calls.call('GET', '/messages/matches_narrow', {
      msg_ids: unsure.map(({ id }) => id),
      narrow: this.narrow,
    });
    const selected = Object.keys((answer as { messages: object }).messages).map(Number);
    return { messages, selected: new Set(selected) };
  }

  /** Keeps the messages around what is read, or those at the end that was asked for. */
  #keep(messages: readonly Message[], count: number, end?: 'oldest' | 'newest') {
    const excess = messages.length - count;
    if (excess <= 0) {
      this.messages.value = messages;
      return;
    }
    const at = messages.findIndex(({ id }) => id >= (this.readingId ?? Number.POSITIVE_INFINITY));
    const readsOld = at >= 0 && at < messages.length / 2;
    if (end === 'oldest' || (end === undefined && readsOld)) {
      this.messages.value = messages.slice(0, count);
      this.foundNewest.value = false;
    } else {
      this.messages.value = messages.slice(excess);
      this.foundOldest.value = false;
    }
  }
}

/** Joins two ascending lists; a message of the second replaces the same one of the first. */
function merged(one: readonly Message[], other: readonly Message[]): readonly Message[] {
  if (other.length === 0) return one;
  const byId = new Map([...one, ...other].map((message) => [message.id, message]));
  return [...byId.values()].sort((first, second) => first.id - second.id);
}
