import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { keyOf, type Narrow, placeOf } from '../route.ts';
import { Acts } from './acts.ts';
import { Changing } from './changing.ts';
import type { Directory } from './directory.ts';
import { Feeds } from './feeds.ts';
import type { Calls, Message, WireEvent } from './message.ts';
import type { MessageFeed } from './messages.ts';
import { Reading } from './reading.ts';
import type { PendingMessage } from './rows.ts';

/** A message of the outbox, with where it goes. */
export interface OutboxEntry extends PendingMessage {
  readonly type: 'channel' | 'direct';
  readonly channelId: number | null;
  readonly topic: string;
  /** The other people of a direct message. */
  readonly userIds: readonly number[];
  /** The id, once the server has given one. */
  readonly id: number | null;
}

/** The messages that wait to be sent, and those that were refused. */
export interface Outbox {
  readonly entries: ReadonlySignal<readonly OutboxEntry[]>;
  readonly retry: (key: string) => void;
  readonly discard: (key: string) => void;
  /** Takes away what has come back as a message. */
  readonly apply?: (event: WireEvent) => void;
}

/** An outbox for pages that only read, and until the part that sends is loaded. */
const NOTHING: Outbox = {
  entries: signal([]),
  retry: () => undefined,
  discard: () => undefined,
};

/** A question about a message, in a dialog. */
export interface Asking {
  readonly about: 'delete' | 'move' | 'react';
  readonly message: Message;
}

/** All of the feed that is not in the document. */
export class FeedStore {
  readonly directory: Directory;
  readonly acts: Acts;
  readonly reading: Reading;
  readonly changing: Changing;
  readonly outbox: Signal<Outbox>;
  /** The view that is shown. */
  readonly current: Signal<MessageFeed | null> = signal(null);
  readonly asking: Signal<Asking | null> = signal(null);
  /** Counts wishes to see the end: who sends a message wants to see it. */
  readonly toEnd: Signal<number> = signal(0);
  /** The message that has the keys. */
  readonly selectedId: Signal<number | null> = signal(null);
  readonly selected: ReadonlySignal<Message | null> = computed(() => {
    const id = this.selectedId.value;
    return this.current.value?.messages.value.find((message) => message.id === id) ?? null;
  });
  /** The long messages that were opened as a whole. */
  readonly unfolded: Set<number> = new Set();
  readonly #feeds: Feeds;
  /** The narrow that was asked for and is not open yet. */
  #asked: {
    readonly key: string;
    readonly near: number | null;
    readonly feed: MessageFeed;
  } | null = null;

  constructor(parts: {
    readonly calls: Calls;
    readonly directory: Directory;
    readonly outbox?: Outbox;
  }) {
    const { calls, directory, outbox = NOTHING } = parts;
    this.directory = directory;
    this.outbox = signal(outbox);
    this.acts = new Acts(calls, directory.ownId);
    this.reading = new Reading(calls);
    this.changing = new Changing(calls, directory.ownId);
    this.#feeds = new Feeds(calls, directory.ownId);
  }

  /** Asks for the messages of a narrow that is about to be opened. */
  ask(narrow: Narrow, near: number | null): MessageFeed {
    const feed = this.#feeds.open(narrow, near);
    this.#asked = { key: keyOf(narrow), near, feed };
    return feed;
  }

  /**
   * Opens a narrow; what was shown before is left. The parts beside it that show it are told now:
   * they are drawn with it, and not for the messages of before.
   */
  open(narrow: Narrow, near: number | null): MessageFeed {
    const asked = this.#asked;
    this.#asked = null;
    const isAsked = asked?.key === keyOf(narrow) && asked.near === near;
    const feed = isAsked ? asked.feed : this.#feeds.open(narrow, near);
    this.current.value = feed;
    return feed;
  }

  /** Applies an event of the connection. */
  apply(event: WireEvent): void {
    this.outbox.peek().apply?.(event);
    this.#feeds.apply(event);
    this.changing.apply(event);
  }

  /** Loads again what is shown: after a gap of the connection, events may be missing. */
  reload(): void {
    this.#feeds.reload(this.current.value);
  }

  /** Returns what is on its way to the conversation that is shown. */
  pendingIn(feed: MessageFeed): readonly OutboxEntry[] {
    const place = placeOf(feed.narrow);
    const { entries } = this.outbox.value;
    if (place === null || entries.value.length === 0) return [];
    const known = new Set(feed.messages.value.slice(-PENDING_LOOKED_AT).map(({ id }) => id));
    return entries.value.filter((entry) => {
      if (entry.id !== null && known.has(entry.id)) return false;
      if (place.kind === 'dm') {
        return entry.type === 'direct' && isSameSet(entry.userIds, place.userIds);
      }
      const isHere = entry.type === 'channel' && entry.channelId === place.channelId;
      return (
        isHere &&
        (place.kind === 'channel' || entry.topic.toLowerCase() === place.topic.toLowerCase())
      );
    });
  }
}

/** A message that was sent a moment ago is among so many of the newest ones. */
const PENDING_LOOKED_AT = 200;

const isSameSet = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));
