import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

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
