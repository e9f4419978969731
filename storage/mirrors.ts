import type { Key } from './key.ts';
import type { TableWriter } from './table.ts';

/** What is kept in memory of some tables, so that a read of all of them costs nothing. */
export interface Mirror {
  /** A row is now this, or gone. Called for each write, also when a write is taken back. */
  changed(table: string, key: Key, row: object | undefined): void;
}

/** A kind of mirror: which tables it is told about, and how it begins. */
export interface MirrorKind<Tables, M extends Mirror> {
  readonly tables: readonly (keyof Tables & string)[];
  open(tables: Tables): M;
}

/** A mirror that nobody looked into for so long is dropped: it costs memory, and every write a call. */
const IDLE_MS_MAX = 600_000;

/**
 * Mirrors of one store. Inside a transaction a mirror is exactly what reading the tables would give, whatever the
 * operations before wrote or took back; outside of one it may be ahead of what is committed, so nobody else sees it.
 */
export function openMirrors<Tables extends object>(tables: Tables) {
  const open = new Map<MirrorKind<Tables, Mirror>, { mirror: Mirror; usedAt: number }>();
  /** What the operation that runs now has written. */
  let touched: { table: string; key: Key }[] = [];

  function tell(table: string, key: Key, row: object | undefined) {
    for (const [{ tables: told }, { mirror }] of open) {
      if ((told as readonly string[]).includes(table)) mirror.changed(table, key, row);
    }
  }

  return {
    /** The same table, whose writes the mirrors are told of. */
    watch<K extends Key, R extends object>(
      name: string,
      table: TableWriter<K, R>,
    ): TableWriter<K, R> {
      const wrote = (key: K, row: R | undefined) => {
        touched.push({ table: name, key });
        if (open.size > 0) tell(name, key, row);
      };
      return {
        ...table,
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
    use<M extends Mirror>(kind: MirrorKind<Tables, M>, now: number): M {
      const known = open.get(kind);
      const mirror = known?.mirror ?? kind.open(tables);
      open.set(kind, { mirror, usedAt: now });
      return mirror as M; // each kind has a mirror of its own type
    },
    /** Before a batch. */
    dropIdle(now: number) {
      for (const [kind, { usedAt }] of open) if (now - usedAt > IDLE_MS_MAX) open.delete(kind);
    },
    /** The operation is done: what it wrote stands. */
    keep() {
      if (touched.length > 0) touched = [];
    },
    /** The operation was undone: what it wrote is as it was before. */
    takeBack(read: (table: string, key: Key) => object | undefined) {
      const undone = touched;
      touched = [];
      for (const { table, key } of undone) tell(table, key, read(table, key));
    },
  };
}
