import { randomBytes } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import { SERVICE_VERSION } from '../../src/domain/version.ts';
import type { Writers } from '../transaction.ts';
import { canWrite, type MigrationMoment, type Schemas } from './migration.ts';

export class StoreTooNew extends Error {}

interface Wanted {
  /** A store that was just made gets this schema. */
  readonly newAs: number;
  /** The newest schema that is known here. */
  readonly newest: number;
}

/** The version of the schema that a store has. */
export function versionOf(
  env: RootDatabase<unknown, string>,
  path: string,
  { newAs, newest }: Wanted,
): number {
  const database = schemaTable(env);
  const version = database.get('version');
  if (version === undefined) noteSchema(database, newAs);
  else if (typeof version !== 'number') throw new Error(`${path} has no version of its schema`);
  else if (version > newest) throw tooNew(path, { version, newest, since: database.get('since') });
  return version ?? newAs;
}

interface TooNew {
  readonly version: number;
  readonly newest: number;
  readonly since: unknown;
}

/** Says which version of confab to install: the one that brought the store to its schema. */
function tooNew(path: string, { version, newest, since }: TooNew): StoreTooNew {
  const schemas = `(schema ${version}; this one knows ${newest})`;
  const needed =
    typeof since === 'string'
      ? `: install confab ${since} or newer, or restore a backup`
      : '; install that version, or restore a backup';
  return new StoreTooNew(`${path} was written by a newer version of confab ${schemas}${needed}`);
}

interface OpenedStore {
  readonly env: RootDatabase<unknown, string>;
  readonly version: number;
}

/**
 * Closes a store with a schema that cannot be written here, and throws: its log says when it is
 * migrated.
 */
export function requireWritable(path: string, { env, version }: OpenedStore, schemas: Schemas) {
  if (canWrite(schemas, version)) return;
  void env.close();
  throw new Error(
    `${path} has schema ${version}, and this version of confab writes schema ${schemas.newest}`,
  );
}

/** The moment of a store that is nobody else's. */
export const momentNow = (): MigrationMoment => ({
  now: Date.now(),
  secret: () => randomBytes(32),
});

interface Migrating {
  readonly from: number;
  readonly to: number;
  readonly schemas: Schemas;
  readonly moment: MigrationMoment;
}

/**
 * Each step is one transaction with its number: a kill in between leaves the store as one version
 * or the other.
 */
export function migrate(
  env: RootDatabase<unknown, string>,
  tables: Writers,
  { from, to, schemas, moment }: Migrating,
) {
  const database = schemaTable(env);
  for (let version = from + 1; version <= to; version++) {
    const step = schemas.steps.get(version);
    if (step === undefined) throw new Error(`there is no migration to schema ${version}`);
    env.transactionSync(() => {
      // The process of a node that was killed may have gone on with it.
      if (Number(database.get('version')) >= version) return;
      step.run(tables, moment);
      noteSchema(database, version);
    });
  }
}

/** Notes the schema, and since which version of confab a store has it. */
export function noteSchema(database: SchemaTable, version: number) {
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
