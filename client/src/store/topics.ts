import { got, topicKey } from './objects.ts';

/** Topics that are kept of a channel; a list of more is one that people search and do not read. */
export const TOPICS_MAX = 10_000;

export interface KnownTopic {
  readonly name: string;
  /** The newest message that is known of. */
  readonly max_id: number;
}

/**
 * The topics of channels, as far as they are known: from unread messages and from events. All of a
 * channel are known once a program has handed in what `GET /users/me/{stream_id}/topics` gave, as
 * long as the user is subscribed: no events come of other channels.
 */
export class Topics {
  readonly #channels = new Map<number, Map<string, KnownTopic>>();
  readonly #complete = new Set<number>();
  readonly #subscriptions: ReadonlyMap<number, unknown>;

  constructor(subscriptions: ReadonlyMap<number, unknown>) {
    this.#subscriptions = subscriptions;
  }

  /** Returns the topics of a channel, those with the newest messages first. */
  of(channelId: number): KnownTopic[] {
    const known = this.#channels.get(channelId)?.values() ?? [];
    return [...known].sort((one, other) => other.max_id - one.max_id);
  }

  /** Tells whether all topics of a channel are known, with their newest messages. */
  isComplete(channelId: number): boolean {
    return this.#complete.has(channelId) && this.#subscriptions.has(channelId);
  }

  /** Takes the list of the server, which was asked for after the events that were applied. */
  learn(channelId: number, topics: readonly KnownTopic[]): void {
    this.#channels.delete(channelId);
    this.#complete.add(channelId);
    // The last one that is noted is kept longest.
    const oldestFirst = topics.toSorted((one, other) => one.max_id - other.max_id);
    for (const { name, max_id: id } of oldestFirst) this.note(channelId, name, id);
  }

  /** Notes that there is such a message. */
  note(channelId: number, topic: string, id: number): void {
    const known = got(this.#channels, channelId, () => new Map<string, KnownTopic>());
    const before = known.get(topicKey(topic));
    if (before !== undefined && before.max_id >= id) return;
    known.delete(topicKey(topic));
    known.set(topicKey(topic), { name: topic, max_id: id });
    const [oldest] = known.keys();
    if (known.size <= TOPICS_MAX || oldest === undefined) return;
    known.delete(oldest);
    this.#complete.delete(channelId);
  }

  /** Notes that these messages are gone from a topic; nobody says what is left there. */
  leave(channelId: number, topic: string, ids: readonly number[], isAll: boolean): void {
    const known = this.#channels.get(channelId);
    const before = known?.get(topicKey(topic));
    if (known === undefined || before === undefined) return;
    if (isAll) known.delete(topicKey(topic));
    else if (ids.includes(before.max_id)) this.#complete.delete(channelId);
  }

  forgetChannel(channelId: number): void {
    this.#channels.delete(channelId);
    this.#complete.delete(channelId);
  }
}
