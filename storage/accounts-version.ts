import type { RootDatabase } from 'lmdb';
import { type SchemaTable, schemaTable } from './migrations/schema-version.ts';

/** Says with which commits it may have changed who may log in. */
export interface Logins {
  version(): number;
  /** The transaction under way changes it; nothing else of it need do so. */
  noteChange(): void;
  /** The transaction is committed. */
  committed(): void;
  /**
   * The record that is queued now changes it. Several may be on their way; each has a version of
   * its own, which is returned.
   */
  noteQueued(): number;
  /** Reads see the record with this version. */
  reached(version: number): void;
}

/** It is no row of a table: it means nothing outside of this store. */
const ACCOUNTS = 'accounts version';

/** Returns the version of the accounts as it is stored. */
export const accountsVersionIn = (schema: SchemaTable): number => Number(schema.get(ACCOUNTS) ?? 0);

export function openLogins(env: RootDatabase<unknown, string>): Logins {
  const schema = schemaTable(env);
  let version = accountsVersionIn(schema);
  let isChanged = false;
  let queued = version;
  return {
    version: () => version,
    noteChange() {
      isChanged = true;
      // Processes that only read see it with the change, and not at all if that is undone.
      void schema.put(ACCOUNTS, version + 1);
    },
    committed() {
      // A write that was undone counts as well: it costs a look into the store.
      if (isChanged) version += 1;
      isChanged = false;
    },
    noteQueued() {
      queued += 1;
      void schema.put(ACCOUNTS, queued);
      return queued;
    },
    reached(seen) {
      version = seen;
    },
  };
}
