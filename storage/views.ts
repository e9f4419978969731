import type { Readers, TableName } from './databases.ts';
import type { Key } from './key.ts';
import { TABLES } from './schema.ts';
import type { TableWriter } from './table.ts';

/**
 * A materialized view keeps in memory what is made of the rows of some tables, so that a read of
 * all costs nothing.
 */
export interface MaterializedView {
  /** A row is now this, or gone. Called for each write, also when a write is undone. */
  changed(table: string, key: Key, row: object | undefined): void;
}

/**
 * A view is told of writes to these tables, which declare that they feed views, and reads no others
 * when it is opened.
 */
export interface ViewKind<Name extends TableName, View extends MaterializedView> {
  readonly tables: readonly Name[];
  open(tables: Pick<Readers, Name>): View;
}

type AnyKind = ViewKind<TableName, MaterializedView>;

/** A row that was written, by the name of its table. */
export interface Written {
  readonly table: string;
  readonly key: Key;
}

/** A view that nobody used for so long is dropped: it costs memory, and each write a call. */
const IDLE_MS_MAX = 600_000;

/**
 * The views of one store; `onKept` is told of writes that stand. Inside a transaction a view is
 * exactly what reading the tables would give, whatever earlier operations wrote or undid. Outside
 * of one it may be ahead of what is committed, so only transactions see it.
 */
export function openViews(tables: Readers, onKept?: (written: readonly Written[]) => void) {
  const open = new Map<AnyKind, { view: MaterializedView; usedAt: number }>();
  /** The rows that the operation that runs now has written. */
  let touched: Written[] = [];

  function notify(table: string, key: Key, row: object | undefined) {
    for (const [{ tables: watched }, { view }] of open) {
      if ((watched as readonly string[]).includes(table)) view.changed(table, key, row);
    }
  }

  return {
    /** The same table; the views are told of its writes. */
    feeding<K extends Key, R extends object>(
      name: string,
      table: TableWriter<K, R>,
    ): TableWriter<K, R> {
      const wrote = (key: K, row: R | undefined) => {
        touched.push({ table: name, key });
        if (open.size > 0) notify(name, key, row);
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
    use<Name extends TableName, View extends MaterializedView>(
      kind: ViewKind<Name, View>,
      now: number,
    ): View {
      const known = open.get(kind)?.view as View | undefined; // each kind has a view of its own type
      const view = known ?? opened(kind, tables);
      open.set(kind, { view, usedAt: now });
      return view;
    },
    /** Called before a batch. */
    dropIdle(now: number) {
      for (const [kind, { usedAt }] of open) if (now - usedAt > IDLE_MS_MAX) open.delete(kind);
    },
    /** The operation is done, and what it wrote stands. */
    keep() {
      if (touched.length === 0) return;
      onKept?.(touched);
      touched = [];
    },
    /** The operation was undone, and its rows are as they were before. */
    takeBack(read: (table: string, key: Key) => object | undefined) {
      const undone = touched;
      touched = [];
      for (const { table, key } of undone) notify(table, key, read(table, key));
    },
  };
}

/** A view of a table that does not feed views would never hear of a write. */
function opened<Name extends TableName, View extends MaterializedView>(
  kind: ViewKind<Name, View>,
  tables: Readers,
): View {
  const silent = kind.tables.find((name) => !TABLES[name].feedsViews);
  if (silent !== undefined) throw new Error(`the table ${silent} does not feed views`);
  return kind.open(tables);
}
