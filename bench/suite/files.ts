import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Results, results, type Series, series } from './results.ts';

export const RESULTS_DIRECTORY = 'bench/results';
/** What the tables of the documents are made of: the one file of results that is in git. */
export const NEWEST_FILE = `${RESULTS_DIRECTORY}/newest.json`;

/** A directory for what a run leaves, named after when it began. */
export function makeDirectory(parent: string, startedAt: string): string {
  const path = join(parent, startedAt.slice(0, 19).replaceAll(':', '-'));
  mkdirSync(path, { recursive: true });
  return path;
}

export function readResults(file: string): Results {
  const parsed = results.safeParse(readJson(file));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} holds no results of this suite: ${z.prettifyError(parsed.error)}`);
}

/** What happened over time, beside the results that it belongs to. */
export const writeSeries = (directory: string, all: readonly Series[]): void =>
  writeJson(join(directory, 'series.json'), z.array(series).parse(all));

export function writeResults(file: string, run: Results): void {
  // What a benchmark measured is in no schema until it is written: a mistake shows here, and not when it is read.
  writeJson(file, results.parse(run));
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, roundedNumbers)}\n`);
}

/** Six figures are more than any of them means. */
const roundedNumbers = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
