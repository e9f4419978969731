import { countersOf, type Reader } from './browser.ts';

/**
 * The CPU milliseconds that the loop takes on a quiet core of the machine that the budgets were set
 * on: times are told as they would be there.
 */
export const QUIET_MS = 9.2;

/** The first runs are compiled meanwhile. */
const WARM_UP = 6;
const RUNS = 9;

/**
 * A fixed piece of script, of the kind that a client runs: objects, texts, sorting and a map. What
 * is measured is held to it, so that neither a busy machine nor another one decides.
 */
const LOOP = `(() => {
  const rows = [];
  for (let index = 0; index < 20000; index += 1) rows.push({ key: 'm' + (index * 7919) % 20011, index });
  rows.sort((one, other) => (one.key < other.key ? -1 : 1));
  const byKey = new Map(rows.map((row) => [row.key, row]));
  let sum = 0;
  for (const [key, { index }] of byKey) sum += key.length + index;
  return sum;
})()`;

/** How long the loop took, in milliseconds. */
export interface Calibration {
  /** CPU time of the page's main thread. */
  readonly cpuMs: number;
  /** Time on the clock, which grows with what else the machine does. */
  readonly clockMs: number;
}

/** Runs the loop in a page, and gives the median of its times. */
export async function calibrate(reader: Reader): Promise<Calibration> {
  const cpu: number[] = [];
  const clock: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const before = await countersOf(reader);
    const ms = await reader.page.evaluate(
      `(() => { const from = performance.now(); ${LOOP}; return performance.now() - from; })()`,
    );
    const after = await countersOf(reader);
    if (run < WARM_UP) continue;
    cpu.push(after.ownMs - before.ownMs);
    clock.push(Number(ms));
  }
  return { cpuMs: medianOf(cpu), clockMs: medianOf(clock) };
}

/** Returns the value below which a part of all lie. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5);
