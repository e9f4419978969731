import type { TableName } from './databases.ts';
import type { Key } from './key.ts';
import type { SchemaTable } from './migrations/schema-version.ts';
import type { RealmReader } from './transaction.ts';
import type { MaterializedView, ViewKind, Written } from './views.ts';

/** The rows behind views that a commit has written; null for more than are told of. */
export type ToldKeys = readonly (readonly [table: TableName, key: Key])[] | null;

/** Processes with views of their own, which are told of the rows behind them. */
export interface ViewFollowers {
  /** They have views of these tables only. */
  readonly tables: readonly TableName[];
  /** Tells of a commit that is on disk. Each such commit raises the version by one. */
  readonly tell: (version: number, keys: ToldKeys) => void;
}

/** A process that is not told of the single rows builds its views again from all of them. */
const KEYS_PER_COMMIT_MAX = 10_000;

/** It is no row of a table: it means nothing outside of this store. */
const VERSION = 'views version';

const versionIn = (schema: SchemaTable): number => Number(schema.get(VERSION) ?? 0);

/** Notes for other processes which rows behind views a commit writes. */
export function openViewNotes(schema: SchemaTable, { tables, tell }: ViewFollowers) {
  const names: ReadonlySet<string> = new Set(tables);
  let version = versionIn(schema);
  let keys: (readonly [TableName, Key])[] = [];
  return {
    /** These writes stand, if their commit does. */
    add(written: readonly Written[]) {
      for (const { table, key } of written) {
        if (names.has(table)) keys.push([table as TableName, key]); // it is one of `tables`
      }
    },
    /** Called at the end of the transaction: a process sees the version with the rows. */
    write() {
      if (keys.length > 0) void schema.put(VERSION, version + 1);
    },
    /** Called when it is on disk. */
    tell() {
      if (keys.length === 0) return;
      version += 1;
      tell(version, keys.length > KEYS_PER_COMMIT_MAX ? null : keys);
      keys = [];
    },
  };
}

type AnyKind = ViewKind<TableName, MaterializedView>;

interface Told {
  readonly view: MaterializedView;
  /** All commits up to this version were told of, since the view was built. */
  told: number;
  /** Rows that were written since, or may have been. */
  readonly pending: Map<string, { readonly table: TableName; readonly key: Key; version: number }>;
  usedAt: number;
}

/** A view that nobody uses must not gather what was written. */
const PENDING_MAX = 20_000;
const IDLE_MS_MAX = 600_000;

/**
 * Views in a process that only reads, each exactly as the rows are that are read in the same turn.
 * The writer tells of the rows that it wrote, and each of them is read again when a view is used.
 */
export interface ToldViews {
  /** Tests whether all commits that are seen now were told of. */
  areTold(): boolean;
  /** Returns a view of what is read now; it is built again if something was not told of. */
  use<Name extends TableName, View extends MaterializedView>(
    kind: ViewKind<Name, View>,
    now: number,
  ): View;
  told(version: number, keys: ToldKeys): void;
  /** Drops what nobody has used for long. */
  dropIdle(now: number): void;
}

export function openToldViews(reader: RealmReader, schema: SchemaTable): ToldViews {
  const open = new Map<AnyKind, Told>();

  function build(kind: AnyKind, version: number, now: number): Told {
    const built = { told: version, usedAt: now, pending: new Map() };
    const told = { ...built, view: kind.open(reader) };
    open.set(kind, told);
    return told;
  }

  return {
    areTold() {
      const version = versionIn(schema);
      for (const { told } of open.values()) if (told < version) return false;
      return true;
    },
    use<Name extends TableName, View extends MaterializedView>(
      kind: ViewKind<Name, View>,
      now: number,
    ) {
      const version = versionIn(schema);
      const known = open.get(kind);
      const told = known && known.told >= version ? known : build(kind, version, now);
      bringUp(told, version, reader);
      told.usedAt = now;
      return told.view as View; // each kind has a view of its own type
    },
    told(version, keys) {
      for (const [kind, view] of open) if (!note(view, version, keys)) open.delete(kind);
    },
    dropIdle(now) {
      for (const [kind, { usedAt }] of open) if (now - usedAt > IDLE_MS_MAX) open.delete(kind);
    },
  };
}

/** Notes what was told of; returns false if the view has to be built again. */
function note(view: Told, version: number, keys: ToldKeys): boolean {
  if (version <= view.told) return true;
  if (version !== view.told + 1 || keys === null) return false;
  view.told = version;
  for (const [table, key] of keys) view.pending.set(`${table} ${key}`, { table, key, version });
  return view.pending.size <= PENDING_MAX;
}

/**
 * Reads the rows again that may differ. One that was written by a commit which is not seen yet is
 * read once more when it is: an earlier commit may have written it as well.
 */
function bringUp(view: Told, version: number, reader: RealmReader) {
  for (const [name, { table, key, version: writtenAt }] of view.pending) {
    // The name of a table and a key of it belong together, which the types cannot say.
    view.view.changed(table, key, reader[table as 'users'].get(key as never));
    if (writtenAt <= version) view.pending.delete(name);
  }
}
