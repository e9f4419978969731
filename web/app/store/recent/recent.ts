import { signal } from '@preact/signals';
import type { Place } from '../route.ts';
import { placeKey } from '../shapes.ts';

/** The facts that are kept of a message: where it was said, when, and by whom. */
export interface Said {
  readonly id: number;
  readonly senderId: number;
  readonly atMs: number;
  readonly place: Conversation['place'];
}

export interface Conversation {
  readonly key: string;
  readonly place: Extract<Place, { kind: 'topic' | 'dm' }>;
  readonly newestId: number;
  readonly atMs: number;
  /** The last people who wrote in it; the one who wrote last is the first. */
  readonly senderIds: readonly number[];
}

/** Some 40 bytes each; conversations older than the newest of so many are left out. */
export const SAID_MAX = 5_000;

/** The newest messages, by conversation. */
export class Recent {
  readonly #said = new Map<number, Said>();
  readonly #version = signal(0);
  /** The order is made when it is first asked for after a change. */
  #order: readonly Conversation[] | null = null;

  add(some: Iterable<Said>): void {
    for (const one of some) this.#said.set(one.id, one);
    if (this.#said.size > SAID_MAX) {
      const ids = [...this.#said.keys()].sort((one, other) => one - other);
      for (const id of ids.slice(0, ids.length - SAID_MAX)) this.#said.delete(id);
    }
    this.#changed();
  }

  remove(ids: Iterable<number>): void {
    for (const id of ids) this.#said.delete(id);
    this.#changed();
  }

  move(ids: Iterable<number>, place: Conversation['place']): void {
    for (const id of ids) {
      const one = this.#said.get(id);
      if (one !== undefined) this.#said.set(id, { ...one, place });
    }
    this.#changed();
  }

  /** Moves messages to another channel; they keep their topics. */
  moveTo(ids: Iterable<number>, channelId: number): void {
    for (const id of ids) {
      const one = this.#said.get(id);
      if (one?.place.kind === 'topic') {
        this.#said.set(id, { ...one, place: { ...one.place, channelId } });
      }
    }
    this.#changed();
  }

  clear(): void {
    this.#said.clear();
    this.#changed();
  }

  /** The oldest message that is known; undefined if none is. */
  get oldestId(): number | undefined {
    let oldest: number | undefined;
    for (const id of this.#said.keys()) if (oldest === undefined || id < oldest) oldest = id;
    return oldest;
  }

  /** Conversations, the one that something was said in last first. */
  get conversations(): readonly Conversation[] {
    // A component that reads this is told of changes.
    void this.#version.value;
    this.#order ??= inOrder(this.#said.values());
    return this.#order;
  }

  #changed(): void {
    this.#order = null;
    this.#version.value += 1;
  }
}

/** More faces than a line shows. */
const SENDERS_MAX = 4;

function inOrder(said: Iterable<Said>): readonly Conversation[] {
  const newest = [...said].sort((one, other) => other.id - one.id);
  const found = new Map<string, Conversation & { readonly senderIds: number[] }>();
  for (const { id, senderId, atMs, place } of newest) {
    const key = placeKey(place);
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, { key, place, newestId: id, atMs, senderIds: [senderId] });
    } else if (known.senderIds.length < SENDERS_MAX && !known.senderIds.includes(senderId)) {
      known.senderIds.push(senderId);
    }
  }
  return [...found.values()];
}
