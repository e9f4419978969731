import { openTables } from '../databases.ts';
import { openEnvironment } from '../environment.ts';
import type { MigrationMoment, Schemas } from '../migrations/migration.ts';
import { migrate } from '../migrations/schema-version.ts';
import type { Writers } from '../transaction.ts';

interface MigratingInput {
  readonly to: number;
  readonly moment: MigrationMoment;
  readonly schemas: Schemas;
}

/** Migrates a store that nobody has open. One that has the schema already stays as it is. */
export async function migrateStore(
  folder: string,
  { to, moment, schemas }: MigratingInput,
): Promise<void> {
  const { env, databases, version: from } = openEnvironment(folder, to, schemas.newest);
  try {
    const tables = openTables(databases, { writes: { count: 0, journal: undefined } }) as Writers;
    migrate(env, tables, { from, to, schemas, moment });
    await env.flushed;
  } finally {
    await env.close();
  }
}
