import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { giveWay, giveWayEntirely, leftByOthers } from '../../src/processes/give-way.ts';

test('all threads of the process give way, those that collect its garbage too', () => {
  const given = new Map<number, number>();
  giveWay((thread, priority) => given.set(thread, priority));
  const threads = readdirSync('/proc/self/task').map(Number);
  expect(threads.length).toBeGreaterThan(1);
  expect([...given.keys()].sort()).toEqual(threads.sort());
  expect(new Set(given.values())).toEqual(new Set([constants.priority.PRIORITY_BELOW_NORMAL]));
});

test('a process gets only idle processors where there are some, and is left alone otherwise', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  const pid = child.pid ?? 0;
  expect(await giveWayEntirely(pid, async () => 0.1)).toBe(false);
  expect(policyOf(pid)).toBe(SCHED_OTHER);
  expect(await giveWayEntirely(pid, async () => 0.5)).toBe(true);
  expect(policyOf(pid)).toBe(SCHED_IDLE);
});

test('a process that is not there any more cannot be moved', async () => {
  const child = spawn('true', { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  expect(await giveWayEntirely(child.pid ?? 0, async () => 1)).toBe(false);
});

test('others leave what is idle and what this process itself uses', async () => {
  const looks = [
    { all: 10_000, idle: 4_000, own: 700 },
    { all: 11_000, idle: 4_300, own: 900 },
  ];
  expect(await leftByOthers(() => looks.shift() ?? { all: 0, idle: 0, own: 0 })).toBe(0.5);
});

test('a machine whose processors are not told apart counts as busy', async () => {
  expect(await leftByOthers(() => ({ all: 0, idle: 0, own: 0 }))).toBe(0);
});

/** Numbers of sched(7). */
const SCHED_OTHER = 0;
const SCHED_IDLE = 5;

/** Field 41 of proc_pid_stat(5); the name of the program, field 2, may have spaces. */
function policyOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[41 - 3]);
}
