import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of a process up to a moment. */
export interface ProcessUsage {
  /** CPU time of all threads, and of those of the processes that it has started. */
  readonly cpuSeconds: number;
  /** The part of it that the processes took which it has started: the gateways of a server. */
  readonly childrenCpuSeconds: number;
  /** CPU time of the thread that runs JavaScript: near one core, it is the limit. */
  readonly mainCpuSeconds: number;
}

// The unit of /proc, whatever the kernel's own: USER_HZ is 100 on every Linux.
const TICKS_PER_SECOND = 100;

/** Reads the CPU time of all threads of the process and of its children so far. */
export const cpuSeconds = (pid: number): number =>
  secondsIn(`/proc/${pid}/stat`) + childrenSeconds(pid);

export function processUsage(pid: number): ProcessUsage {
  const childrenCpuSeconds = childrenSeconds(pid);
  return {
    cpuSeconds: secondsIn(`/proc/${pid}/stat`) + childrenCpuSeconds,
    childrenCpuSeconds,
    mainCpuSeconds: secondsIn(`/proc/${pid}/task/${pid}/stat`),
  };
}

const childrenSeconds = (pid: number): number => sumOf(childrenOf(pid), secondsOfChild);

/** One that has ended meanwhile has no file any more. */
function secondsOfChild(pid: number): number {
  try {
    return secondsIn(`/proc/${pid}/stat`);
  } catch {
    return 0;
  }
}

/** The processes that any thread of this one has started. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

const sumOf = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + of(pid), 0);

function secondsIn(file: string): number {
  const stat = readFileSync(file, 'utf8');
  // The name in parentheses may hold spaces; user and system time are the 12th and 13th behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The resident bytes of the process and of its children; what they share counts for each. */
export const residentBytes = (pid: number): number =>
  sumOf([pid, ...childrenOf(pid)], (one) => bytesOf(one, 'VmRSS'));

/** The bytes that the processes have to themselves, and their parts of what they share. */
export const proportionalBytes = (pid: number): number =>
  sumOf([pid, ...childrenOf(pid)], proportionalOf);

function proportionalOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
}

/** The most that was resident since `forgetPeak`, or since the start. */
export const peakBytes = (pid: number): number =>
  sumOf([pid, ...childrenOf(pid)], (one) => bytesOf(one, 'VmHWM'));

/** The resident bytes of a process alone, without files that it has mapped. */
export const anonymousBytes = (pid: number): number => bytesOf(pid, 'RssAnon');

function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

export function forgetPeak(pid: number): void {
  // proc(5): 5 sets the peak to what is resident now.
  for (const one of [pid, ...childrenOf(pid)]) writeFileSync(`/proc/${one}/clear_refs`, '5');
}
