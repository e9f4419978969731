import { openLogins } from '../accounts-version.ts';
import { NO_COUNTERS } from '../batch.ts';
import { openTables } from '../databases.ts';
import { openEnvironment } from '../environment.ts';
import type { FollowerStore } from '../follower-store.ts';
import type { Schemas } from '../migrations/migration.ts';
import { SCHEMAS } from '../migrations/migrations.ts';
import { noteSchema, schemaTable } from '../migrations/schema-version.ts';
import { committedTables } from '../table-caches.ts';
import type { RealmReader, Writers } from '../transaction.ts';
import { openApplying } from './applying.ts';
import type { Place, WriteSet } from './commit-log.ts';
import { openViewsOf } from './views-of-replica.ts';

/** The store of a realm on a node that does not own it: it follows the log of the realm's shard. */
export interface Replica extends FollowerStore {
  /** Returns the newest record that reads see; null if it is a new store. */
  applied(): Place | null;
  /**
   * Writes the rows of a record. Resolves when they are on disk and reads see them. Rejects with
   * `DamagedRecord` before anything is changed; after any rejection the store must be closed. A
   * record without writes for this realm only moves its place.
   */
  apply(writes: WriteSet, place: Place): Promise<void>;
  /** Returns the schema of the store. */
  schema(): number;
  /** Gives a store that has no record yet the schema of its first one. */
  beginAs(schema: number): Promise<void>;
  /** Writes a copy without free pages into a folder, of one moment, with its place. */
  copyTo(folder: string): Promise<void>;
}

/**
 * Opens a store that follows a log; a folder without one becomes an empty store. It is not
 * migrated: its log says when. What is read of a store with an older schema may be wrong
 * (`canRead`).
 */
export function openReplica(path: string, { newest }: Pick<Schemas, 'newest'> = SCHEMAS): Replica {
  const { env, databases, version } = openEnvironment(path, newest, newest);
  const logins = openLogins(env);
  const tables = openTables(databases, {}) as Writers; // only what is applied is written
  const readers = committedTables(tables, databases);
  const reader: RealmReader = {
    ...readers,
    accountsVersion: logins.version,
    head: () => (readers.counters.get(['counters']) ?? NO_COUNTERS).event,
  };
  const { views, noteViews } = openViewsOf(reader, schemaTable(env));
  const { apply, applied } = openApplying({ env, databases, logins, onChecked: noteViews });
  let schema = version;
  return {
    schema: () => schema,
    async beginAs(first) {
      noteSchema(schemaTable(env), first);
      await env.flushed;
      schema = first;
    },
    reader,
    views,
    refresh: () => env.resetReadTxn(),
    applied,
    apply,
    copyTo: (folder) => env.backup(folder, true),
    close: () => env.close(),
  };
}
