import type { Writers } from '../transaction.ts';

/** A migration may use this besides tables; it is the same at all nodes of a cluster. */
export interface MigrationMoment {
  /** UNIX milliseconds. */
  readonly now: number;
  /** Returns 32 bytes that nobody can guess, other ones for each word. */
  readonly secret: (word: string) => Buffer;
}

/**
 * The step from one schema to the next. It reads and writes tables, and nothing else but its
 * moment, so that it comes to the same rows wherever it runs.
 */
export interface Migration {
  readonly run: (tables: Writers, moment: MigrationMoment) => void;
  /**
   * True if the code of this schema reads stores of the one before as they are: only columns at the
   * end differ, which have defaults, or both forms of a row are read. A node that was upgraded then
   * serves reads before its cluster is.
   */
  readonly readsFormer: boolean;
  /**
   * True if, besides, what this code writes is read right by the code of the schema before. A node
   * that was upgraded may then own shards before its cluster is upgraded.
   */
  readonly writesFormer: boolean;
}

/** The schemas that a version of confab knows. */
export interface Schemas {
  readonly newest: number;
  /** By the schema that each leads to. */
  readonly steps: ReadonlyMap<number, Migration>;
}

const allSince = (
  { newest, steps }: Schemas,
  schema: number,
  holds: (step: Migration) => boolean,
): boolean => {
  for (let version = schema + 1; version <= newest; version++) {
    const step = steps.get(version);
    if (step === undefined || !holds(step)) return false;
  }
  return schema <= newest;
};

/** Tells whether a version of confab may read stores of a schema. */
export const canRead = (schemas: Schemas, schema: number): boolean =>
  allSince(schemas, schema, ({ readsFormer }) => readsFormer);

/** Tells whether a version of confab may write stores of a schema. */
export const canWrite = (schemas: Schemas, schema: number): boolean =>
  allSince(schemas, schema, ({ readsFormer, writesFormer }) => readsFormer && writesFormer);
