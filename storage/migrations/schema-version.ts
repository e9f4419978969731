import type { RootDatabase } from 'lmdb';
import { SCHEMA_VERSION } from '../schema.ts';
import type { Writers } from '../transaction.ts';
import { MIGRATIONS } from './migrations.ts';

export class StoreTooNew extends Error {}

/** The version of the schema that a store has. A store that was just made gets `newAs`. */
export function versionOf(env: RootDatabase<unknown, string>, path: string, newAs: number): number {
  const database = schemaTable(env);
  const version = database.get('version');
  if (version === undefined) void database.put('version', newAs);
  else if (version > SCHEMA_VERSION) {
    throw new StoreTooNew(
      `${path} was written by a newer version of confab (schema ${version}; this one knows ${SCHEMA_VERSION})`,
    );
  }
  return version ?? newAs;
}

/**
 * Each step is one transaction with its number: a kill in between leaves the store as one version
 * or the other.
 */
export function migrate(env: RootDatabase<unknown, string>, tables: Writers, from: number) {
  const database = schemaTable(env);
  for (let version = from + 1; version <= SCHEMA_VERSION; version++) {
    const step = MIGRATIONS.get(version);
    if (step === undefined) throw new Error(`there is no migration to schema ${version}`);
    env.transactionSync(() => {
      step(tables);
      void database.put('version', version);
    });
  }
}

const schemaTable = (env: RootDatabase<unknown, string>) =>
  env.openDB<number, string>({ name: 'schema' });
