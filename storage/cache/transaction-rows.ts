import type { Key } from '../key.ts';
import type { TableWriter } from '../table.ts';
import { type CacheDeclaration, sizedCache } from './policy.ts';
import { ABSENT, cacheKeyOf, isTooLongToKeep, openRowMap } from './row-map.ts';

/** A longer list of keys is read from the store each time. */
const KEYS_MAX = 64;
/** The lists that are kept of a table. */
const LISTS_MAX = 16_384;

interface Forgets {
  /** Forgets the row of a key, and the list of keys that it is in. */
  forget(key: Key): void;
}

/**
 * The caches that transactions of one store read by. A transaction reads by them exactly what the
 * store would give it: a write makes them forget the row, or keep the new one, and undoing the
 * write makes them forget it again. Nobody else reads by them, because they may be ahead of what is
 * committed.
 */
export function openTransactionRows() {
  /** The keys that the operation that runs now has written, each with its cache in `caches`. */
  let written: Key[] = [];
  let caches: Forgets[] = [];
  function endOperation() {
    if (written.length === 0) return;
    written = [];
    caches = [];
  }

  return {
    /**
     * The same table, which reads single rows, and the keys under one part, from memory where its
     * policy allows it.
     */
    cached<K extends Key, R extends object>(
      table: TableWriter<K, R>,
      declared: CacheDeclaration<R>,
    ): TableWriter<K, R> {
      const { policy, sizeOf, sizeMax } = sizedCache(declared);
      if (policy === 'immutable') return table;
      // A row is kept as it was given only where it is read back like that: texts that are UTF-8,
      // and no column left out.
      const keepsWritten = policy === 'write-through';
      const rows = openRowMap<R | typeof ABSENT>({
        sizeOf: (row) => (row === ABSENT ? 1 : sizeOf(row)),
        sizeMax,
      });
      const lists = openRowMap<readonly K[]>({ sizeOf: () => 1, sizeMax: LISTS_MAX });
      /** Most tables have no lists of keys read. */
      let hasLists = false;
      const cache: Forgets = {
        forget(key) {
          rows.delete(cacheKeyOf(key));
          lists.delete(key[0] ?? '');
        },
      };
      function wrote(key: K, row: R | undefined) {
        const cacheKey = cacheKeyOf(key);
        if (keepsWritten && !isTooLongToKeep(cacheKey)) rows.set(cacheKey, row ?? ABSENT);
        else rows.delete(cacheKey);
        if (hasLists) lists.delete(key[0] ?? '');
        written.push(key);
        caches.push(cache);
      }
      return {
        ...table,
        get(key) {
          const cacheKey = cacheKeyOf(key);
          if (isTooLongToKeep(cacheKey)) return table.get(key);
          const known = rows.get(cacheKey);
          if (known !== undefined) return known === ABSENT ? undefined : known;
          const row = table.get(key);
          rows.set(cacheKey, row ?? ABSENT);
          return row;
        },
        keysUnder(prefix, options) {
          const [first, second] = prefix;
          if (first === undefined || second !== undefined || options !== undefined) {
            return table.keysUnder(prefix, options);
          }
          const known = lists.get(first);
          if (known !== undefined) return known;
          const keys = Array.from(table.keysUnder(prefix));
          if (keys.length <= KEYS_MAX) {
            hasLists = true;
            lists.set(first, keys);
          }
          return keys;
        },
        put(key, row) {
          table.put(key, row);
          wrote(key, row);
        },
        remove(key) {
          table.remove(key);
          wrote(key, undefined);
        },
      };
    },
    /** The operation is done, and what it wrote stands. */
    keep: endOperation,
    /** The operation was undone, and what it wrote is gone. */
    takeBack() {
      for (const [index, key] of written.entries()) caches[index]?.forget(key);
      endOperation();
    },
  };
}
