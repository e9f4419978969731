import type { Key } from './key.ts';
import type { TableWriter } from './table.ts';

/** Rows in each of two generations. */
const ROWS_MAX = 8_192;
/** What is asked for by a longer text is hardly there, and is not to fill the memory. */
const NAME_LENGTH_MAX = 200;
/** A longer list of keys is walked each time. */
const KEYS_MAX = 64;

/**
 * Rows that nearly every operation reads, as they were decoded last. A transaction reads by them exactly what the table
 * would give it: a write makes them forget the row, and so does taking the write back. Outside of transactions nobody reads
 * them, as they may be ahead of what is committed.
 */
export function openRowCaches() {
  /** How to forget what the operation that runs now has written. */
  let written: (() => void)[] = [];

  return {
    /**
     * The same table, reading single rows, and the keys under one part, from memory where it can. What is written is kept as
     * well, where it is read back as it was given: texts that UTF-8 knows, and no column left out.
     */
    watch<K extends Key, R extends object>(
      table: TableWriter<K, R>,
      { keepsWritten, sizeOf = () => 1 }: Watching<R>,
    ): TableWriter<K, R> {
      const rows = generations<R | undefined>({
        max: ROWS_MAX,
        sizeOf: (row) => (row === undefined ? 1 : sizeOf(row)),
      });
      const walks = generations<readonly K[]>();
      function wrote(key: K, row: R | undefined) {
        const name = nameOf(key);
        if (keepsWritten && !isTooLong(name)) rows.keep(name, row);
        else rows.forget(name);
        walks.forget(key[0]);
        written.push(() => {
          rows.forget(name);
          walks.forget(key[0]);
        });
      }
      return {
        ...table,
        get(key) {
          const name = nameOf(key);
          if (isTooLong(name)) return table.get(key);
          const known = rows.get(name);
          if (known !== undefined) return known.value;
          const row = table.get(key);
          rows.keep(name, row);
          return row;
        },
        keysUnder(prefix, options) {
          if (prefix.length !== 1 || options !== undefined) return table.keysUnder(prefix, options);
          const known = walks.get(prefix[0]);
          if (known !== undefined) return known.value;
          const keys = Array.from(table.keysUnder(prefix));
          if (keys.length <= KEYS_MAX) walks.keep(prefix[0], keys);
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
    /** The operation is done: what it wrote stands. */
    keep() {
      if (written.length > 0) written = [];
    },
    /** The operation was undone. */
    takeBack() {
      for (const forget of written) forget();
      written = [];
    },
  };
}

interface Watching<R> {
  readonly keepsWritten: boolean;
  /** What a row weighs, in rows of the usual size. */
  readonly sizeOf?: (row: R) => number;
}

type Name = string | number | undefined;

/** Of two ids: the larger part of a double. */
const FIRST_ID_MAX = 2 ** 21;
const SECOND_ID_MAX = 2 ** 32;

/**
 * Different for different keys of one table, whose parts are each of one type: only the last part may hold what stands
 * between two. Two ids make a number, which takes no text to be put together for every look.
 */
export function nameOf(key: Key): Name {
  if (key.length === 1) return key[0];
  const [first, second] = key;
  if (key.length === 2 && isBelow(first, FIRST_ID_MAX) && isBelow(second, SECOND_ID_MAX)) {
    return first * SECOND_ID_MAX + second;
  }
  return key.join('\n');
}

const isBelow = (part: string | number | undefined, max: number): part is number =>
  typeof part === 'number' && Number.isInteger(part) && part >= 0 && part < max;

const isTooLong = (name: Name) => typeof name === 'string' && name.length > NAME_LENGTH_MAX;

/** What a generation holds, about, by what its values weigh. */
interface Room<V> {
  readonly max: number;
  readonly sizeOf: (value: V) => number;
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

const ROOM_FOR_ROWS: Room<unknown> = { max: ROWS_MAX, sizeOf: () => 1 };

/**
 * A map of two generations, which drops what was not asked for lately: what is read again soon stays, whatever else is read
 * once. Holds `undefined` as a value, too.
 */
export function generations<V>({ max, sizeOf }: Room<V> = ROOM_FOR_ROWS) {
  let young = new Map<Name, Entry<V>>();
  let old = new Map<Name, Entry<V>>();
  let size = 0;

  function put(name: Name, entry: Entry<V>) {
    size += entry.size - sizeOfYoung(name);
    if (size > max) {
      old = young;
      young = new Map();
      size = entry.size;
    }
    young.set(name, entry);
  }

  const sizeOfYoung = (name: Name) => young.get(name)?.size ?? 0;

  return {
    get(name: Name): { readonly value: V } | undefined {
      const known = young.get(name);
      if (known !== undefined) return known;
      const aged = old.get(name);
      if (aged !== undefined) put(name, aged);
      return aged;
    },
    keep: (name: Name, value: V) => put(name, { value, size: sizeOf(value) }),
    forget(name: Name) {
      size -= sizeOfYoung(name);
      young.delete(name);
      old.delete(name);
    },
  };
}
