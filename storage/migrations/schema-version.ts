import type { RootDatabase } from 'lmdb';
import { SERVICE_VERSION } from '../../src/domain/version.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import type { Writers } from '../transaction.ts';
import { MIGRATIONS } from './migrations.ts';

export class StoreTooNew extends Error {}

/** The version of the schema that a store has. A store that was just made gets `newAs`. */
export function versionOf(env: RootDatabase<unknown, string>, path: string, newAs: number): number {
  const database = schemaTable(env);
  const version = database.get('version');
  if (version === undefined) note(database, newAs);
  else if (typeof version !== 'number') throw new Error(`${path} has no version of its schema`);
  else if (version > SCHEMA_VERSION) throw tooNew(path, version, database.get('since'));
  return version ?? newAs;
}

/** Says which version of confab to install: the one that brought the store to its schema. */
function tooNew(path: string, version: number, since: unknown): StoreTooNew {
  const schemas = `(schema ${version}; this one knows ${SCHEMA_VERSION})`;
  const needed =
    typeof since === 'string'
      ? `: install confab ${since} or newer, or restore a backup`
      : '; install that version, or restore a backup';
  return new StoreTooNew(`${path} was written by a newer version of confab ${schemas}${needed}`);
}

/** Closes a store with another schema than this, and throws: its log says when it is migrated. */
export function requireSchema(
  path: string,
  { env, version }: { readonly env: RootDatabase<unknown, string>; readonly version: number },
) {
  if (version === SCHEMA_VERSION) return;
  void env.close();
  throw new Error(
    `${path} has schema ${version}, and this version of confab follows logs of schema ${SCHEMA_VERSION}`,
  );
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
      note(database, version);
    });
  }
}

/** Notes the schema, and since which version of confab a store has it. */
function note(database: SchemaTable, version: number) {
  void database.put('version', version);
  void database.put('since', SERVICE_VERSION);
}

/**
 * Facts about the store itself: its schema, since which version of confab it has it, and how far it
 * has followed its log.
 */
export type SchemaTable = ReturnType<typeof schemaTable>;

export const schemaTable = (env: RootDatabase<unknown, string>) =>
  env.openDB<number | string | (number | string)[], string>({ name: 'schema' });
