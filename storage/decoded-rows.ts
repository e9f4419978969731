import type { Key } from './key.ts';
import { generations, nameOf } from './row-caches.ts';
import type { StoredRows, TableReader } from './table.ts';

/**
 * Rows that are read again and again and hardly ever change: as long as a row has the bytes it had, what they were decoded to
 * is given again, at a third of the price. Nothing has to be told of changes, so that this reads any snapshot, whatever is
 * written meanwhile. The rows are shared by all who read them.
 */
export function decodedRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  { bytesOf, rowOf }: StoredRows<K, R>,
): TableReader<K, R> {
  const decoded = generations<{ readonly bytes: string; readonly row: R }>();
  return {
    ...table,
    get(key) {
      const stored = bytesOf(key);
      if (stored === undefined) return undefined;
      const name = nameOf(key);
      const known = decoded.get(name)?.value;
      // As a text of a byte a character: a buffer of its own would weigh five times what it holds.
      const bytes = stored.toString('latin1', 0, stored.length);
      if (known?.bytes === bytes) return known.row;
      const row = rowOf(stored.subarray(0, stored.length));
      decoded.keep(name, { bytes, row });
      return row;
    },
  };
}
