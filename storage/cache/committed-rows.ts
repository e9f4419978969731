import type { Key } from '../key.ts';
import type { StoredRows, TableReader } from '../table.ts';
import { type CacheDeclaration, type SizedCache, sizedCache } from './policy.ts';
import { cacheKeyOf, openRowMap } from './row-map.ts';

/**
 * Reads what is committed, with the cache that the table declares. Operations do not read by it.
 */
export function committedRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  stored: StoredRows<K, R>,
  declared: CacheDeclaration<R>,
): TableReader<K, R> {
  const sized = sizedCache(declared);
  if (sized.policy === 'immutable') return immutableRows(table, sized);
  if (sized.policy === 'read-mostly') return readMostlyRows(table, stored, sized);
  return table;
}

/**
 * A row is the same in every snapshot that has it, and nobody asks for one that is gone. This holds
 * only for what is committed: the keys of an operation that is undone are used again.
 */
function immutableRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  sized: SizedCache<R>,
): TableReader<K, R> {
  const kept = openRowMap<R>(sized);
  return {
    ...table,
    get(key) {
      const cacheKey = cacheKeyOf(key);
      const known = kept.get(cacheKey);
      if (known !== undefined) return known;
      const row = table.get(key);
      if (row !== undefined) kept.set(cacheKey, row);
      return row;
    },
  };
}

interface Decoded<R> {
  readonly bytes: string;
  readonly row: R;
}

/**
 * While a row has the bytes it had, the row that was decoded from them is given again, at a third
 * of the price. No write has to be reported, so this reads exactly what a read of the store would
 * give at any moment. Callers share the rows.
 */
function readMostlyRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  { bytesOf, rowOf }: StoredRows<K, R>,
  { sizeOf, sizeMax }: SizedCache<R>,
): TableReader<K, R> {
  const decoded = openRowMap<Decoded<R>>({ sizeOf: ({ row }) => sizeOf(row), sizeMax });
  return {
    ...table,
    get(key) {
      const stored = bytesOf(key);
      if (stored === undefined) return undefined;
      const cacheKey = cacheKeyOf(key);
      const known = decoded.get(cacheKey);
      // A text of one byte a character: a buffer of its own would weigh five times what it holds.
      const bytes = stored.toString('latin1', 0, stored.length);
      if (known?.bytes === bytes) return known.row;
      const row = rowOf(stored.subarray(0, stored.length));
      decoded.set(cacheKey, { bytes, row });
      return row;
    },
  };
}
