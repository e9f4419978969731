import type { RootDatabase } from 'lmdb';
import type { Databases } from '../databases.ts';
import type { TableDatabase } from '../table.ts';

/** The bytes of a store, by its pages. */
export interface PageBytes {
  /** The pages of rows, of the trees above them, and of the list of free pages. */
  readonly used: number;
  /** The pages between them that later commits write over, once no reader sees them. */
  readonly free: number;
}

/** The fields that LMDB tells of a tree; its types say nothing. */
interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface EnvironmentStats extends TreeStats {
  readonly lastPageNumber: number;
  /** The tree of tables, and that of free pages. */
  readonly root: TreeStats;
  readonly free: TreeStats;
}

/** The two pages at the beginning of a store that name its trees. */
const META_PAGES = 2;
/** The page with the version of the schema, which is in a tree beside the tables. */
const SCHEMA_PAGES = 1;

/** Counts all pages by what LMDB knows of each table, without reading one of them. */
export function pageBytesOf(env: RootDatabase, databases: Databases): PageBytes {
  const { lastPageNumber, pageSize, root, free } = env.getStats() as EnvironmentStats;
  let used = META_PAGES + SCHEMA_PAGES + pagesOf(root) + pagesOf(free);
  for (const database of Object.values(databases)) used += pagesOf(statsOf(database));
  const all = lastPageNumber + 1;
  return { used: used * pageSize, free: Math.max(0, all - used) * pageSize };
}

/** Returns the bytes of a table, by its pages as LMDB counts them. */
export function bytesOf(database: TableDatabase): number {
  const stats = statsOf(database);
  return pagesOf(stats) * stats.pageSize;
}

const statsOf = (database: TableDatabase) => database.getStats() as TreeStats;

const pagesOf = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats) =>
  treeBranchPageCount + treeLeafPageCount + overflowPages;
