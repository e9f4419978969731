import { readFileSync, writeFileSync } from 'node:fs';
import { BENCHMARKS } from '../benchmarks/index.ts';
import { figureTables, marksTable, withTables } from './document-tables.ts';
import { keptFile, keptRuns, NEWEST_FILE, readResults, writeResults } from './files.ts';
import type { Results } from './results.ts';

/** The documents with tables of results, and what stands in each. */
export const DOCUMENTS = [
  { file: 'README.md', tables: marksTable },
  { file: 'bench/README.md', tables: figureTables },
] as const;

/** Makes the tables of these results, and keeps the results as what they were made of; says what it did. */
export function writeTables(results: Results): string {
  const figures = ofFigures(results);
  writeResults(NEWEST_FILE, figures);
  const isKept = isWhole(results);
  if (isKept) writeResults(keptFile(results), figures);
  // As they are kept: there a figure has fewer digits, and may be rounded another way.
  const newest = readResults(NEWEST_FILE);
  const runs = keptRuns();
  for (const { file, tables } of DOCUMENTS) {
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables(newest, runs)));
  }
  const made = `The tables of ${DOCUMENTS.map(({ file }) => file).join(' and ')} are made anew`;
  if (isKept) return `${made}; the run is kept as ${keptFile(results)}.`;
  return `${made}; the run is not among those that are kept, as it is not one of the whole suite.`;
}

/** Of all benchmarks, at full length, with servers of its own. */
const isWhole = ({ benchmarks, isQuick, url }: Results): boolean =>
  !isQuick &&
  url === null &&
  BENCHMARKS.every(({ name }) => benchmarks.some((one) => one.name === name));

/** No table has the curves of latencies and what was used, which are most of a file of results. */
const ofFigures = (results: Results): Results => ({
  ...results,
  benchmarks: results.benchmarks.map((one) => ({ ...one, latencies: [], usages: [] })),
});
