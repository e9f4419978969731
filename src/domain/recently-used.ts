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
): RecentlyUsed<Key, Value> =>
  new LRUCache({
    maxSize: sizeMax,
    // The library takes whole numbers above zero.
    sizeCalculation:
      sizeOf === undefined ? () => 1 : (value) => Math.max(1, Math.ceil(sizeOf(value))),
  });

export type RecentlyUsed<
  Key extends string | number | object,
  Value extends object | symbol,
> = Pick<LRUCache<Key, Value>, 'get' | 'peek' | 'set' | 'delete' | 'clear'>;
