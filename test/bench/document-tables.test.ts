import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BENCHMARKS } from '../../bench/benchmarks/index.ts';
import {
  figureTables,
  originOf,
  runsTable,
  targetsTable,
  withTables,
} from '../../bench/documents/document-tables.ts';
import { shortTable } from '../../bench/documents/short-table.ts';
import { DOCUMENTS, fanOutPicture, PICTURE } from '../../bench/documents/write-tables.ts';
import { keptRuns, NEWEST_FILE, readResults } from '../../bench/suite/files.ts';
import type { Results, TargetOutcome } from '../../bench/suite/results.ts';
import { figureOf, resultsOf } from '../support/bench-results.ts';

test.each(DOCUMENTS)(
  'the tables of $file are those of the results that are kept',
  ({ file, tables }) => {
    const document = readFileSync(file, 'utf8');

    const kept = tables(readResults(NEWEST_FILE), keptRuns());

    expect(withTables(document, kept)).toBe(document);
  },
);

test('the picture is that of the results that are kept', () => {
  expect(fanOutPicture(readResults(NEWEST_FILE))).toBe(readFileSync(PICTURE, 'utf8'));
});

test('the table of the README has six lines, each with something to compare it with', () => {
  const rows = shortTable(readResults(NEWEST_FILE))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

  expect(rows).toHaveLength(8);
  expect(rows.filter(([, ...cells]) => cells.slice(0, 3).includes(''))).toEqual([]);
});

test('the table of the README leaves out what was not measured', () => {
  const [, , ...rows] = shortTable(
    resultsOf([
      figureOf({ case: 'http, 64 in flight', values: [100] }),
      figureOf({ case: 'http, 64 in flight', server: 'baseline', values: [200] }),
    ]),
  )
    .split('\n')
    .filter((line) => line.startsWith('|'));

  expect(rows.map(cellsOf)).toEqual([
    ['', 'durable sends per second, 64 at a time', '100 /s', 'bare HTTP and LMDB: 200 /s', ''],
  ]);
});

test('the page about benchmarks names each of them', () => {
  const document = readFileSync('bench/README.md', 'utf8');

  for (const { name } of BENCHMARKS) expect(document).toMatch(`| \`${name}\``);
});

test('what stands between the comments of a document is replaced, and nothing else', () => {
  const document = 'before\n<!-- results: begin -->\n\nold\n\n<!-- results: end -->\nbehind\n';

  expect(withTables(document, 'new')).toBe(document.replace('old', 'new'));
  expect(() => withTables('nothing', 'new')).toThrow(/no place/);
});

test('a table has a row for each case and a column for each server', () => {
  const results = resultsOf([
    figureOf({ case: 'http', values: [100, 110, 120], baselines: [200, 220, 240] }),
    figureOf({ case: 'http', server: 'baseline', values: [200, 220, 240] }),
    figureOf({ case: 'http', metric: 'a detail', values: [1, 1, 1] }),
  ]);
  const lines = figureTables(results, [])
    .split('\n')
    .filter((line) => line.startsWith('| http'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  expect(lines).toEqual([
    ['', 'http', 'sends per second, /s', '110 ± 9 %', '220 ± 9 %', '0.50', ''],
  ]);
});

test('targets of one name are one row, of the case that is furthest from it', () => {
  const table = targetsTable(withTargets('2026-11-21', [outcome(5), outcome(2), outcome(3)]));

  expect(cellsOf(table.split('\n').at(-1) ?? '')).toEqual([
    '',
    '`send`',
    'fast',
    'at least 3',
    '2',
    '2 sockets',
    '2 of 3',
    '',
  ]);
});

test('each target has what it came to in each run, and none where it was not yet there', () => {
  const table = runsTable([
    withTargets('2026-11-21', [outcome(5), outcome(2), outcome(3)]),
    withTargets('2026-11-22', [outcome(4), { ...outcome(1), name: 'new' }]),
  ]);
  const rows = table.split('\n').filter((line) => line.startsWith('|'));

  expect(rows.map(cellsOf)).toEqual([
    ['', 'benchmark', 'target', 'expected', '2026-11-21', '2026-11-22', ''],
    expect.anything(),
    ['', '`send`', 'fast', 'at least 3', '2.00, 2 of 3', '4.00, yes', ''],
    ['', '`send`', 'new', 'at least 3', '', '1.00, no', ''],
  ]);
  expect(table).toContain('- 2026-11-22, commit abcdef123456: 2 cores (A Processor)');
});

const outcome = (value: number): TargetOutcome => ({
  name: 'fast',
  case: `${value} sockets`,
  metric: 'sends per second',
  expected: 'at least 3',
  got: `${value}`,
  value,
  better: 'higher',
  isMet: value >= 3,
});

/** Returns a run of that day with these outcomes of the targets. */
function withTargets(day: string, targets: readonly TargetOutcome[]): Results {
  const startedAt = `${day}T10:00:00.000Z`;
  const { benchmarks } = resultsOf([]);
  return resultsOf([], { startedAt, benchmarks: benchmarks.map((one) => ({ ...one, targets })) });
}

const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim());

test('what failed is told beside its figures', () => {
  const [benchmark] = resultsOf([]).benchmarks;
  if (benchmark === undefined) throw new Error('there is a benchmark');
  const failed = { ...benchmark, faults: ['confab: 1 lost,\n  or so'] };

  expect(figureTables(resultsOf([], { benchmarks: [failed] }), [])).toContain(
    'Failed: confab: 1 lost, or so',
  );
});

test('it is said when and where they were measured, and that the machine was busy', () => {
  const results = resultsOf([]);
  const busy = { ...results, machine: { ...results.machine, loadBefore: 7 } };

  expect(originOf(results)).toContain('2026-11-21, commit abcdef123456: 2 cores (A Processor)');
  expect(originOf(results)).not.toContain('Other work');
  expect(originOf(busy)).toContain('Other work was on the machine');
});

test('it is said when the host gave CPU time to other machines', () => {
  const stolen = (part: number) => {
    const results = resultsOf([]);
    return originOf({ ...results, machine: { ...results.machine, stolen: part } });
  };

  expect(stolen(0.01)).not.toContain('host');
  expect(stolen(0.24)).toContain('gave 24 % of its CPU time to others.');
});
