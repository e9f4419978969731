import { readFileSync } from 'node:fs';
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
