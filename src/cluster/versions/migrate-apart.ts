import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import { migrateStore } from '../../../storage/replication/migrating.ts';
import { performApart } from '../../processes/perform-apart.ts';
import { momentOf, type SeededMoment } from './seeded-moment.ts';

/** The store that a process of its own is to migrate. */
export interface MigrationTask {
  readonly folder: string;
  readonly to: number;
  readonly moment: SeededMoment;
}

interface ApartInput {
  readonly schemas: Schemas;
  /** The size of a store (bytes) from which on it has a process of its own. */
  readonly bytesMin?: number;
  /** The file of that process. */
  readonly program?: string;
}

/**
 * A smaller store is migrated in tens of milliseconds, less than a process takes to start. A node
 * that does nothing else for longer than the silence of an owner would lose its other shards.
 */
const APART_BYTES_MIN = 8 * 1_048_576;

const PROGRAM = fileURLToPath(new URL('./migrate-process.js', import.meta.url));

/**
 * Migrates a store that nobody has open, a large one in a process of its own, so that the node goes
 * on meanwhile. Rejects if it could not be done; a step is done whole or not at all.
 */
export async function migrateApart(
  task: MigrationTask,
  { schemas, bytesMin = APART_BYTES_MIN, program = PROGRAM }: ApartInput,
): Promise<void> {
  const { folder, to, moment } = task;
  const { size = 0 } = statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false }) ?? {};
  // Tests have schemas of their own, which no other process knows.
  if (size < bytesMin || schemas !== SCHEMAS) {
    return await migrateStore(folder, { to, moment: momentOf(moment), schemas });
  }
  const outcome = await performApart(program, task);
  if (outcome === undefined) throw new Error(`the process that migrated ${folder} ended`);
  if (outcome.fault !== null) throw new Error(outcome.fault);
}
