import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Results, results } from './results.ts';

export const RESULTS_DIRECTORY = 'bench/results';
/**
 * The results from which the tables of the documents are made. In git there are this file and one
 * run of each day.
 */
export const NEWEST_FILE = `${RESULTS_DIRECTORY}/newest.json`;

/** The newest figures by the number of gateways, from which a page of their own is made. */
export const GATEWAYS_FILE = `${RESULTS_DIRECTORY}/gateways.json`;

/** Returns the file of a run of the whole suite; a later one of the same day takes its place. */
export const keptFile = ({ startedAt }: Results): string =>
  `${RESULTS_DIRECTORY}/${startedAt.slice(0, 10)}.json.gz`;

/** The runs of the whole suite, each of another day, in their order. */
export const keptRuns = (): readonly Results[] =>
  readdirSync(RESULTS_DIRECTORY)
    .filter((name) => /^\d{4}-\d\d-\d\d\.json\.gz$/.test(name))
    .sort()
    .map((name) => readResults(join(RESULTS_DIRECTORY, name)));

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

export function writeResults(file: string, run: Results): void {
  // No schema has checked the figures before: a mistake shows here, and not when they are read.
  writeJson(file, results.parse(run));
}

const isPacked = (file: string) => file.endsWith('.gz');

function readJson(file: string): unknown {
  const bytes = readFileSync(file);
  return JSON.parse((isPacked(file) ? gunzipSync(bytes) : bytes).toString());
}

function writeJson(file: string, value: unknown): void {
  const text = `${JSON.stringify(value, roundedNumbers)}\n`;
  writeFileSync(file, isPacked(file) ? gzipSync(text, { level: 9 }) : text);
}

/** Six figures are more than any of them means. */
const roundedNumbers = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
