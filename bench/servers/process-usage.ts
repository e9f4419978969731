import { readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of a process up to a moment. */
export interface ProcessUsage {
  /** CPU time of all threads. */
  readonly cpuSeconds: number;
  /** CPU time of the thread that runs JavaScript: near one core, it is the limit. */
  readonly mainCpuSeconds: number;
}

// The unit of /proc, whatever the kernel's own: USER_HZ is 100 on every Linux.
const TICKS_PER_SECOND = 100;

/** Reads the CPU time and memory of all threads of the process so far. */
export const cpuSeconds = (pid: number): number => secondsIn(`/proc/${pid}/stat`);

export const processUsage = (pid: number): ProcessUsage => ({
  cpuSeconds: cpuSeconds(pid),
  mainCpuSeconds: secondsIn(`/proc/${pid}/task/${pid}/stat`),
});

function secondsIn(file: string): number {
  const stat = readFileSync(file, 'utf8');
  // The name in parentheses may hold spaces; user and system time are the 12th and 13th behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export const residentBytes = (pid: number): number => bytesOf(pid, 'VmRSS');

/** The most that was resident since `forgetPeak`, or since the start. */
export const peakBytes = (pid: number): number => bytesOf(pid, 'VmHWM');

function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

export function forgetPeak(pid: number): void {
  // proc(5): 5 sets the peak to what is resident now.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
