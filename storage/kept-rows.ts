import type { Key, TableReader } from './table.ts';

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
  let young = new Map<string, R>();
  let old = new Map<string, R>();
  let bytes = 0;

  function keep(name: string, row: R) {
    const size = bytesOf(row);
    if (bytes + size > bytesMax) {
      old = young;
      young = new Map();
      bytes = 0;
    }
    young.set(name, row);
    bytes += size;
  }

  return {
    ...table,
    get(key) {
      const name = key.join('\n');
      const known = young.get(name);
      if (known !== undefined) return known;
      const row = old.get(name) ?? table.get(key);
      if (row !== undefined) keep(name, row);
      return row;
    },
  };
}
