import { topicKey } from './objects.ts';
import { directKey, type Place } from './unread.ts';

/** People who write at the moment: until the server says that they stopped, or for a while. */
export class Typing {
  /** By place, then by user: until when, in milliseconds of the clock. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #now: () => number;
  readonly #expiryMs: number;

  constructor(now: () => number, expiryMs: number) {
    this.#now = now;
    this.#expiryMs = expiryMs;
  }

  start(place: Place, userId: number): void {
    const key = keyOf(place);
    if (this.#places.size >= PLACES_MAX) this.#makeRoom();
    const people = this.#places.get(key) ?? new Map<number, number>();
    // The last to begin is the last in the map.
    people.delete(userId);
    this.#places.set(key, people.set(userId, this.#now() + this.#expiryMs));
  }

  /** Returns false if the user did not write there. */
  stop(place: Place, userId: number): boolean {
    const key = keyOf(place);
    const people = this.#places.get(key);
    if (people?.delete(userId) !== true) return false;
    if (people.size === 0) this.#places.delete(key);
    return true;
  }

  /** Returns the people who write there now. */
  in(place: Place): number[] {
    const now = this.#now();
    const people = this.#places.get(keyOf(place)) ?? [];
    return [...people].filter(([, until]) => until > now).map(([userId]) => userId);
  }

  /** Forgets those who have ended by themselves, and returns whether there were any. */
  expire(): boolean {
    const now = this.#now();
    let isChanged = false;
    for (const [key, people] of this.#places) {
      for (const [userId, until] of people) {
        if (until <= now) isChanged = people.delete(userId);
      }
      if (people.size === 0) this.#places.delete(key);
    }
    return isChanged;
  }

  #makeRoom() {
    this.expire();
    const [oldest] = this.#places.keys();
    if (this.#places.size >= PLACES_MAX && oldest !== undefined) this.#places.delete(oldest);
  }

  /** Returns when to call `expire`, in milliseconds of the clock. */
  nextExpiry(): number | undefined {
    let next: number | undefined;
    for (const people of this.#places.values()) {
      for (const until of people.values()) next = Math.min(next ?? until, until);
    }
    return next;
  }
}

/** A program that never calls `expire` holds no more: at so many places nobody looks. */
const PLACES_MAX = 1_000;

const keyOf = (place: Place): string =>
  'userIds' in place ? directKey(place.userIds) : `${place.channelId}:${topicKey(place.topic)}`;
