import { matches } from './matching.ts';
import type { Message, WireEvent } from './message.ts';
import { applyToMessage, changesNarrow, messageIn, touchedIn } from './message-events.ts';
import {
  FORM,
  type Follower,
  MESSAGES_MAX,
  type MessageFeed,
  merged,
  type Page,
} from './messages.ts';

/** After so many that come or go by one event, the whole view is loaded again. */
const ASKED_MAX = 500;

/** Follows the events about the messages of a narrow, and asks the server where it alone knows. */
export class FeedFollower implements Follower {
  readonly #feed: MessageFeed;
  /** Counts questions about single messages; each message has the number of the last one. */
  #asks = 0;
  readonly #lastAsks = new Map<number, number>();

  constructor(feed: MessageFeed) {
    this.#feed = feed;
  }

  apply(event: WireEvent): void {
    if (changesNarrow(event, this.#feed.narrow)) {
      void this.#feed.renew();
      return;
    }
    const message = messageIn(event);
    if (message !== null) {
      // Most events bring a message, which changes none of those that are there.
      this.#receive(message);
      return;
    }
    this.#change(event);
    this.#join(event);
  }

  forget(): void {
    this.#lastAsks.clear();
  }

  current(messages: readonly Message[], events: readonly WireEvent[]): readonly Message[] {
    return messages.flatMap((message) => {
      let current: Message | null = message;
      for (const event of events) current = current && applyToMessage(current, event);
      return current === null || (current !== message && this.#matches(current) === false)
        ? []
        : [current];
    });
  }

  catchUp(events: readonly WireEvent[]): void {
    // The answer may be older than what was decided meanwhile.
    if (events.some((event) => changesNarrow(event, this.#feed.narrow))) {
      void this.#feed.renew();
      return;
    }
    for (const [index, event] of events.entries()) {
      const message = messageIn(event);
      // The message may have been changed or moved since.
      if (message !== null) this.#receive(this.current([message], events.slice(index + 1))[0]);
      this.#join(event, true);
    }
  }

  #matches(message: Message): boolean | null {
    return matches(message, this.#feed.narrow, this.#feed.ownId);
  }

  /** Takes a new message, if the narrow selects it. */
  #receive(message: Message | undefined) {
    if (message === undefined || !this.#feed.foundNewest.value) return;
    const all = this.#feed.messages.value;
    const isLast = message.id > (all.at(-1)?.id ?? 0);
    if (!isLast && all.some(({ id }) => id === message.id)) return;
    const is = this.#matches(message);
    if (is === null) this.#ask([message.id]);
    else if (is) this.#feed.keep(isLast ? [...all, message] : merged(all, [message]), MESSAGES_MAX);
  }

  /** Changes the messages that an event is about, and drops those that leave. */
  #change(event: WireEvent) {
    const before = this.#feed.messages.value;
    let isChanged = false;
    const unsure: number[] = [];
    const touched = new Set(touchedIn(event, this.#feed.narrow));
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
    if (isChanged) this.#feed.messages.value = after;
    if (unsure.length > 0) this.#ask(unsure);
  }

  #isUnreadView() {
    return this.#feed.narrow.some(
      ({ operator, operand }) => operator === 'is' && operand === 'unread',
    );
  }

  /**
   * Asks for the messages that an event may have brought into the view. Those of an answer that is
   * older than the event are asked for as well, where only the server knows whether they stay.
   */
  #join(event: WireEvent, isLate = false) {
    const touched = touchedIn(event, this.#feed.narrow);
    if (touched.length === 0) return;
    const known = new Map(this.#feed.messages.value.map((message) => [message.id, message]));
    const ids = touched.filter((id) => {
      const message = known.get(id);
      if (message === undefined) return this.#isWithin(id);
      return isLate && this.#matches(message) === null;
    });
    if (ids.length > 0) this.#ask(ids);
  }

  /** Tells whether a message with this id would be among those that are loaded. */
  #isWithin(id: number) {
    const { messages, foundOldest, foundNewest } = this.#feed;
    const [first] = messages.value;
    const last = messages.value.at(-1);
    if (first === undefined || last === undefined) return foundOldest.value || foundNewest.value;
    return (foundOldest.value || id > first.id) && (foundNewest.value || id < last.id);
  }

  /** Has the server say which of these messages the narrow selects, and shows exactly those. */
  #ask(ids: readonly number[]) {
    if (ids.length > ASKED_MAX) {
      void this.#feed.open(this.#feed.readingId ?? 'newest');
      return;
    }
    const generation = this.#feed.generation;
    this.#asks += 1;
    const ask = this.#asks;
    for (const id of ids) this.#lastAsks.set(id, ask);
    void this.#feed
      .noting(
        () => this.#verdicts(ids),
        ({ messages, selected }, events) => {
          if (generation !== this.#feed.generation) return;
          // The answer to a later question about the same message says more.
          const asked = new Set(ids.filter((id) => this.#lastAsks.get(id) === ask));
          for (const id of asked) this.#lastAsks.delete(id);
          const found = this.current(messages, events).filter(
            (message) =>
              asked.has(message.id) &&
              this.#isWithin(message.id) &&
              (this.#matches(message) ?? selected.has(message.id)),
          );
          const rest = this.#feed.messages.value.filter(({ id }) => !asked.has(id));
          this.#feed.keep(merged(rest, found), MESSAGES_MAX);
        },
      )
      .catch(() => {
        // The connection broke: the view is loaded again when it is back.
        if (generation === this.#feed.generation)
          this.#feed.fault.value = 'Some messages are missing';
      });
  }

  /** Fetches messages, and which of them the narrow selects as far as only the server knows. */
  async #verdicts(ids: readonly number[]) {
    const list = await this.#feed.calls.call('GET', '/messages', { message_ids: ids, ...FORM });
    const { messages } = list as Page; // the server's own answer to this call
    const unsure = messages.filter((message) => this.#matches(message) === null);
    if (unsure.length === 0) return { messages, selected: new Set<number>() };
    const answer = await this.#feed.calls.call('GET', '/messages/matches_narrow', {
      msg_ids: unsure.map(({ id }) => id),
      narrow: this.#feed.narrow,
    });
    const selected = Object.keys((answer as { messages: object }).messages).map(Number);
    return { messages, selected: new Set(selected) };
  }
}
