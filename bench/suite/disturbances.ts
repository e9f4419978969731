import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Machine } from './results.ts';
import { numberText, percentText } from './texts.ts';

/** More than this of the CPU time in other hands shows in every figure by the clock. */
const STOLEN_MAX = 0.03;

/**
 * A sentence for each thing that makes the figures of a run those of its hour and not of its
 * machine.
 */
export function disturbances({ cores, loadBefore, stolen = 0 }: Machine): readonly string[] {
  const sentences: string[] = [];
  if (loadBefore > cores / 2) {
    const load = `load average ${numberText(loadBefore)} on ${cores} cores`;
    sentences.push(`Other work was on the machine before the run (${load}).`);
  }
  if (stolen > STOLEN_MAX) {
    const part = percentText(stolen);
    sentences.push(`The host of this virtual machine gave ${part} of its CPU time to others.`);
  }
  if (sentences.length === 0) return [];
  return [...sentences, 'Absolute figures say little, and latencies less.'];
}

/** Ticks of all cores since the machine was started. */
interface CpuTime {
  readonly asked: number;
  readonly stolen: number;
}

/** See proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
function cpuTime(): CpuTime {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { asked: user + nice + system + irq + softirq + stolen, stolen };
}

/**
 * Begins to count; then gives which part of the CPU time that was asked for the host gave to
 * others.
 */
export function watchStolen(): () => number {
  const before = cpuTime();
  return () => {
    const after = cpuTime();
    const asked = after.asked - before.asked;
    return asked === 0 ? 0 : (after.stolen - before.stolen) / asked;
  };
}

/** More than this of a second of all cores in other hands shows in the slowest of a hundred. */
const STOLEN_OF_SECOND_MAX = 0.025;
const SECOND_MS = 1_000;
const TICKS_PER_SECOND = 100;

/** Tells whether the host took so much of the second of a time (UNIX milliseconds) or beside it. */
export type IsDisturbed = (atMs: number) => boolean;

/** A time between two looks, and the ticks of it that the host took. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly stolenTicks: number;
}

export const disturbedIn =
  (spans: readonly Span[], cores = cpus().length): IsDisturbed =>
  (atMs) =>
    spans.some(({ fromMs, untilMs, stolenTicks }) => {
      const ticks = ((untilMs - fromMs) / SECOND_MS) * TICKS_PER_SECOND * cores;
      const isNear = atMs >= fromMs - SECOND_MS && atMs < untilMs + SECOND_MS;
      return isNear && stolenTicks > STOLEN_OF_SECOND_MAX * ticks;
    });

/** Begins to look each second; then gives which times were disturbed. */
export function watchSeconds(): () => IsDisturbed {
  const spans: Span[] = [];
  let before = { atMs: Date.now(), ...cpuTime() };
  const look = () => {
    const now = { atMs: Date.now(), ...cpuTime() };
    const stolenTicks = now.stolen - before.stolen;
    spans.push({ fromMs: before.atMs, untilMs: now.atMs, stolenTicks });
    before = now;
  };
  const timer = setInterval(look, SECOND_MS);
  return () => {
    clearInterval(timer);
    look();
    return disturbedIn(spans);
  };
}
