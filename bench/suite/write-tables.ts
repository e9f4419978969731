import { readFileSync, writeFileSync } from 'node:fs';
import { figureTables, marksTable, withTables } from './document-tables.ts';
import { NEWEST_FILE, readResults, writeResults } from './files.ts';
import type { Results } from './results.ts';

/** The documents with tables of results, and what stands in each. */
export const DOCUMENTS = [
  { file: 'README.md', tables: marksTable },
  { file: 'bench/README.md', tables: figureTables },
] as const;

/** Makes the tables of these results, and keeps the results as what they were made of. */
export function writeTables(results: Results): void {
  writeResults(NEWEST_FILE, ofFigures(results));
  // As they are kept: there a figure has fewer digits, and may be rounded another way.
  const kept = readResults(NEWEST_FILE);
  for (const { file, tables } of DOCUMENTS) {
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables(kept)));
  }
}

/** No table has the curves of latencies and what was used, which are most of a file of results. */
const ofFigures = (results: Results): Results => ({
  ...results,
  benchmarks: results.benchmarks.map((one) => ({ ...one, latencies: [], usages: [] })),
});
