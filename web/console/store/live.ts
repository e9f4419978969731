import { batch, signal } from '@preact/signals';
import type { Hello, LogRecord, Sample, SeriesSpec } from '../../../src/console/wire.ts';

/** The connection to the server, in words that the page shows. */
export type Link = 'connecting' | 'live' | 'lost' | 'logged out';

export const link = signal<Link>('connecting');
export const series = signal<readonly SeriesSpec[]>([]);
/** The samples of the last quarter of an hour, oldest first. */
export const samples = signal<readonly Sample[]>([]);
/** The newest records of the log, oldest first. */
export const records = signal<readonly LogRecord[]>([]);

const SAMPLES_MAX = 900;
const RECORDS_MAX = 1_000;

/** Follows the server. The browser connects again by itself, and then gets everything again. */
export function openLive() {
  const source = new EventSource('/console/live');
  source.addEventListener('hello', ({ data }) => {
    const hello = JSON.parse(String(data)) as Hello;
    batch(() => {
      link.value = 'live';
      series.value = hello.series;
      samples.value = hello.samples;
      records.value = hello.log;
    });
  });
  source.addEventListener('sample', ({ data }) => {
    const sample = JSON.parse(String(data)) as Sample;
    samples.value = [...samples.value.slice(1 - SAMPLES_MAX), sample];
  });
  source.addEventListener('log', ({ data }) => {
    const record = JSON.parse(String(data)) as LogRecord;
    records.value = [...records.value.slice(1 - RECORDS_MAX), record];
  });
  source.addEventListener('error', () => {
    link.value = 'lost';
    // A refusal ends the stream for good: the server was started again and knows no session.
    if (source.readyState === EventSource.CLOSED) void findOut(openLive);
  });
}

const AGAIN_MS = 2_000;

/** A page that is refused is logged out; any other failure is tried again. */
async function findOut(again: () => void) {
  const status = await fetch('/console/api/server').then(
    ({ status }) => status,
    () => 0,
  );
  if (status === 401) link.value = 'logged out';
  else setTimeout(again, AGAIN_MS);
}

/** Returns the place of a series in a sample; the time comes first. */
export const indexOf = (name: string): number =>
  series.value.findIndex((one) => one.name === name) + 1;

/** Returns the newest value of a series; null if it is not known. */
export const latest = (name: string): number | null => {
  const index = indexOf(name);
  return index === 0 ? null : (samples.value.at(-1)?.[index] ?? null);
};
