import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { constants, cpus, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Lets the server and everything else on the machine have the processors first: all threads of this
 * process get a lower priority. A call for the process changes only its first thread on Linux
 * (setpriority(2)), and those that collect garbage would go on as before. Threads that are started
 * later take after the one that starts them.
 */
export function giveWay(setPriorityOf: (thread: number, priority: number) => void = setPriority) {
  for (const id of threads()) {
    try {
      setPriorityOf(id, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended, or the system does not allow it and has other ways to keep programs apart.
    }
  }
}

function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    // Other systems than Linux know of processes only.
    return [process.pid];
  }
}

/** The share of the processors that others have to leave, and how long that is looked at. */
const LEFT_MIN = 0.5;
const LOOK_MS = 250;

/**
 * Has the threads of a process run only while nothing else wants their processor (SCHED_IDLE of
 * sched(7)), where others leave enough of the processors. With a low priority alone a thread may
 * keep a processor for milliseconds while the server waits for it. Returns false, and changes
 * nothing, on a busy machine, where the process would never end, and where `chrt` of util-linux is
 * missing. A process may not be able to leave this policy, so the machine is looked at before.
 */
export async function giveWayEntirely(
  pid: number = process.pid,
  left: () => Promise<number> = () => leftByOthers(),
): Promise<boolean> {
  if ((await left()) < LEFT_MIN) return false;
  return await new Promise((resolve) => {
    const child = spawn('chrt', ['-a', '-i', '-p', '0', String(pid)], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Returns the share of the processors, from 0 to 1, that other processes do not use now. */
export async function leftByOthers(times = processorTimes): Promise<number> {
  const before = times();
  await delay(LOOK_MS, undefined, { ref: false });
  const now = times();
  const all = now.all - before.all;
  return all > 0 ? Math.min(1, (now.idle - before.idle + now.own - before.own) / all) : 0;
}

/** Returns milliseconds of all processors since they started, and those of this process. */
function processorTimes() {
  const sum = { all: 0, idle: 0 };
  for (const { times } of cpus()) {
    sum.idle += times.idle;
    sum.all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  const { user, system } = process.cpuUsage();
  return { ...sum, own: (user + system) / 1_000 };
}
