import type { RootDatabase } from 'lmdb';
import type { Databases } from '../databases.ts';
import { type TreeStats, treeStatsOf } from '../lmdb-internals.ts';
import type { TableDatabase } from '../table.ts';

/** The bytes of a store, by its pages. */
export interface PageBytes {
  /** The pages of rows, of the trees above them, and of the list of free pages. */
  readonly used: number;
  /** The pages between them that later commits write over, once no reader sees them. */
  readonly free: number;
}

/** The fields that LMDB tells of an environment; its types say nothing. */
interface EnvironmentStats extends TreeStats {
  readonly lastPageNumber: number;
  /** The number of the last transaction that was committed. */
  readonly lastTxnId: number;
  /** The tree of tables, and that of free pages. */
  readonly root: TreeStats;
  readonly free: TreeStats;
}

/** The two pages at the beginning of a store that name its trees. */
const META_PAGES = 2;
/** The page with the version of the schema, which is in a tree beside the tables. */
const SCHEMA_PAGES = 1;

/**
 * Returns a function that counts all pages by what LMDB knows of each table, without reading one of
 * them. It counts again only after a commit: a server with many realms asks for each every few
 * seconds, and most of them have had none.
 */
export function openPageCounts(env: RootDatabase, databases: Databases): () => PageBytes {
  let counted: { readonly transaction: number; readonly bytes: PageBytes } | undefined;
  return () => {
    const { lastTxnId: transaction } = statsOfAll(env);
    if (counted?.transaction !== transaction) {
      // A read transaction that is open already may be older.
      env.resetReadTxn();
      counted = { transaction, bytes: countPages(statsOfAll(env), databases) };
    }
    return counted.bytes;
  };
}

function countPages(
  { lastPageNumber, pageSize, root, free }: EnvironmentStats,
  databases: Databases,
): PageBytes {
  let used = META_PAGES + SCHEMA_PAGES + pagesOf(root) + pagesOf(free);
  for (const database of Object.values(databases)) used += pagesOf(treeStatsOf(database));
  const all = lastPageNumber + 1;
  return { used: used * pageSize, free: Math.max(0, all - used) * pageSize };
}

/** Returns the bytes of a table, by its pages as LMDB counts them. */
export function bytesOf(database: TableDatabase): number {
  const stats = database.getStats() as TreeStats;
  return pagesOf(stats) * stats.pageSize;
}

const statsOfAll = (env: RootDatabase) => env.getStats() as EnvironmentStats;

const pagesOf = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats) =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;
