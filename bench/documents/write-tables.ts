import { readFileSync, writeFileSync } from 'node:fs';
import { gateways } from '../benchmarks/gateways.ts';
import { BENCHMARKS } from '../benchmarks/index.ts';
import { curveSvg } from '../report/curve-svg.ts';
import { plotsOf } from '../report/plots.ts';
import {
  GATEWAYS_FILE,
  keptFile,
  keptRuns,
  NEWEST_FILE,
  readResults,
  writeResults,
} from '../suite/files.ts';
import type { Results } from '../suite/results.ts';
import { coresPicture, coresTables } from './cores-page.ts';
import { figureTables, withTables } from './document-tables.ts';
import { shortTable } from './short-table.ts';

/** The documents with tables of results, and what stands in each. */
export const DOCUMENTS = [
  { file: 'README.md', tables: shortTable },
  { file: 'bench/results/README.md', tables: figureTables },
] as const;

/** The picture of the README. */
export const PICTURE = 'docs/fan-out.svg';

/**
 * How many deliveries a second of CPU time makes, by the number of sockets; undefined where that
 * was not measured.
 */
export function fanOutPicture({ benchmarks }: Results): string | undefined {
  const { curves = [] } =
    plotsOf(benchmarks).benchmarks.find(({ name }) => name === 'fan-out') ?? {};
  const plot = curves.find(
    ({ metric, axis }) => metric === 'deliveries per core-second' && axis === 'sockets',
  );
  if (plot === undefined) return undefined;
  const lines = plot.lines.filter(({ server }) => ['confab', 'baseline'].includes(server));
  return curveSvg({ ...plot, lines });
}

/**
 * Makes the tables of these results, and keeps the results as what they were made of; says what it
 * did.
 */
export function writeTables(results: Results): string {
  const own = results.benchmarks.filter(({ name }) => name === gateways.name);
  if (own.length > 0) writeCores({ ...results, benchmarks: own });
  if (own.length === results.benchmarks.length) return `The tables of ${CORES_PAGE} are made anew.`;
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
  const picture = fanOutPicture(newest);
  if (picture !== undefined) writeFileSync(PICTURE, picture);
  const made = `The tables of ${DOCUMENTS.map(({ file }) => file).join(' and ')} are made anew`;
  if (isKept) return `${made}; the run is kept as ${keptFile(results)}.`;
  return `${made}; the run is not among those that are kept, as it is not one of the whole suite.`;
}

/** The page of the figures by the number of gateways, and its picture. */
export const CORES_PAGE = 'bench/results/cores.md';
export const CORES_PICTURE = 'docs/cores.svg';

function writeCores(results: Results): void {
  writeResults(GATEWAYS_FILE, ofFigures(results));
  const kept = readResults(GATEWAYS_FILE);
  writeFileSync(CORES_PAGE, withTables(readFileSync(CORES_PAGE, 'utf8'), coresTables(kept)));
  const picture = coresPicture(kept);
  if (picture !== undefined) writeFileSync(CORES_PICTURE, picture);
}

/** Returns true for a run of all benchmarks, at full length, with servers of its own. */
const isWhole = ({ benchmarks, isQuick, url }: Results): boolean =>
  !isQuick &&
  url === null &&
  BENCHMARKS.every(({ name }) => benchmarks.some((one) => one.name === name));

/** No table has the curves of latencies and what was used, which are most of a file of results. */
const ofFigures = (results: Results): Results => ({
  ...results,
  benchmarks: results.benchmarks.map((one) => ({ ...one, latencies: [], usages: [] })),
});
