import type { Key } from './key.ts';
import { generations, nameOf } from './row-caches.ts';
import type { TableReader } from './table.ts';

interface Keeping<R> {
  /** What a row takes in memory, about. */
  readonly bytesOf: (row: R) => number;
  /** Of each of two generations: what is read again soon stays, whatever else is read once. */
  readonly bytesMax: number;
}

/**
 * Reads single rows from memory where it can. For a table whose rows are written once, under keys that are never used again:
 * a row is the same in every snapshot that has it, and nobody asks for one that is gone. Only for what is committed, since
 * the keys of an operation that was undone are used again.
 */
export function keptRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  { bytesOf, bytesMax }: Keeping<R>,
): TableReader<K, R> {
  const kept = generations<R>({ max: bytesMax, sizeOf: bytesOf });
  return {
    ...table,
    get(key) {
      const name = nameOf(key);
      const known = kept.get(name);
      if (known !== undefined) return known.value;
      const row = table.get(key);
      if (row !== undefined) kept.keep(name, row);
      return row;
    },
  };
}
