import { LRUCache } from 'lru-cache';

/**
 * A map that forgets what was read longest ago once it holds more than `sizeMax`. Entries count as
 * one each, unless `sizeOf` says what they weigh. The library takes no room in advance for a map
 * with a total size (it does for one with a number of entries), so that a realm without traffic
 * costs nothing.
 */
export const recentlyUsed = <Key extends string | number | object, Value extends object | symbol>(
  sizeMax: number,
  sizeOf?: (value: Value) => number,
): RecentlyUsed<Key, Value> => new RecentlyUsed(sizeMax, sizeOf);

/**
 * The library makes an object of options for each call without one, and writes to it: a send reads
 * some twenty rows from such maps.
 */
const OPTIONS = {};

export class RecentlyUsed<Key extends string | number | object, Value extends object | symbol> {
  private readonly entries: LRUCache<Key, Value>;

  constructor(sizeMax: number, sizeOf?: (value: Value) => number) {
    this.entries = new LRUCache({
      maxSize: sizeMax,
      // The library takes whole numbers above zero.
      sizeCalculation:
        sizeOf === undefined ? () => 1 : (value) => Math.max(1, Math.ceil(sizeOf(value))),
    });
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key, OPTIONS);
  }

  /** Returns the value, which stays as old as it is. */
  peek(key: Key): Value | undefined {
    return this.entries.peek(key, OPTIONS);
  }

  set(key: Key, value: Value) {
    this.entries.set(key, value, OPTIONS);
  }

  delete(key: Key): boolean {
    return this.entries.delete(key);
  }

  clear() {
    this.entries.clear();
  }
}
