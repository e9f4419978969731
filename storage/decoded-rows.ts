import { generations, nameOf } from './row-caches.ts';
import type { Key, StoredRows, TableReader } from './table.ts';

/**
 * Rows that are read again and again and hardly ever change: as long as a row has the bytes it had, what they were decoded to
 * is given again, at a third of the price. Nothing has to be told of changes, so that this reads any snapshot, whatever is
 * written meanwhile. The rows are shared by all who read them.
 */
export function decodedRows<K extends Key, R extends object>(
  table: TableReader<K, R>,
  { bytesOf, rowOf }: StoredRows<K, R>,
): TableReader<K, R> {
  const decoded = generations<{ readonly bytes: Buffer; readonly row: R }>();
  return {
    ...table,
    get(key) {
      const stored = bytesOf(key);
      if (stored === undefined) return undefined;
      const name = nameOf(key);
      const known = decoded.get(name)?.value;
      const { length } = stored;
      if (known?.bytes.length === length && known.bytes.compare(stored, 0, length) === 0) {
        return known.row;
      }
      // A copy, as the next read writes to the same place.
      const bytes = Buffer.from(stored.buffer.slice(stored.byteOffset, stored.byteOffset + length));
      const row = rowOf(bytes);
      decoded.keep(name, { bytes, row });
      return row;
    },
  };
}
