import { batch } from '@preact/signals';
import { keyOf, type Narrow } from '../route.ts';
import type { Calls, WireEvent } from './message.ts';
import { type Anchor, MessageFeed } from './messages.ts';

/** So many narrows are kept with their messages, so that one goes back to them at once. */
const FEEDS_MAX = 12;
/** A narrow that is not shown keeps so many messages. */
const IDLE_MESSAGES = 400;

/**
 * The narrows that were seen last. Events reach all of them, so that each has what a reload would
 * give.
 */
export class Feeds {
  readonly #calls: Calls;
  readonly #ownId: number;
  /** In the order of their last use. */
  readonly #feeds = new Map<string, MessageFeed>();

  constructor(calls: Calls, ownId: number) {
    this.#calls = calls;
    this.#ownId = ownId;
  }

  /**
   * Returns the messages of a narrow. They are loaded already if it was seen lately; else they come
   * in around a message, or the first unread one.
   */
  open(narrow: Narrow, near: number | null = null): MessageFeed {
    const key = keyOf(narrow);
    const known = this.#feeds.get(key);
    this.#feeds.delete(key);
    const feed = known ?? new MessageFeed(narrow, { calls: this.#calls, ownId: this.#ownId });
    this.#feeds.set(key, feed);
    this.#forget();
    const isThere = near === null || feed.messages.value.some(({ id }) => id === near);
    if (known === undefined || !isThere || feed.fault.value !== null) {
      void feed.open(near ?? 'first_unread');
    } else feed.noteUnread();
    return feed;
  }

  apply(event: WireEvent): void {
    batch(() => {
      for (const feed of this.#feeds.values()) feed.apply(event);
    });
  }

  /** After a gap in the events: what is shown is loaded again, and the rest forgotten. */
  reload(shown: MessageFeed | null): void {
    for (const [key, feed] of this.#feeds) if (feed !== shown) this.#feeds.delete(key);
    const anchor: Anchor = shown?.readingId ?? 'newest';
    void shown?.open(anchor);
  }

  #forget() {
    for (const [key, feed] of this.#feeds) {
      if (this.#feeds.size > FEEDS_MAX) this.#feeds.delete(key);
      else if (key !== [...this.#feeds.keys()].at(-1)) feed.shrink(IDLE_MESSAGES);
    }
  }
}
