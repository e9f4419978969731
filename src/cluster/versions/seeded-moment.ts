import { createHash } from 'node:crypto';
import type { MigrationMoment } from '../../../storage/migrations/migration.ts';

/** The moment of a migration as a schema record says it, which can be handed to a process. */
export interface SeededMoment {
  readonly seed: string;
  readonly realmId: number;
  /** UNIX milliseconds of the record. */
  readonly at: number;
}

/** The moment of a migration: all holders of a realm take it from the record. */
export const momentOf = ({ seed, realmId, at }: SeededMoment): MigrationMoment => ({
  now: at,
  secret: (word) => createHash('sha256').update(`${seed} ${realmId} ${word}`).digest(),
});
