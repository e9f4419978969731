import { fork } from 'node:child_process';

/** The outcome of a task: no fault if it is done. */
export interface Outcome {
  readonly fault: string | null;
}

/**
 * Has a program perform a task in a process of its own, so that nobody here waits for it. The task
 * is sent as a message: arguments would show its keys to everybody on the machine. Returns
 * undefined if the process has ended without a report, as it does when the signal is aborted.
 */
export async function performApart(
  program: string,
  task: object,
  signal?: AbortSignal,
): Promise<Outcome | undefined> {
  signal?.throwIfAborted();
  const child = fork(program, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const stop = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<Outcome | undefined>((resolve, reject) => {
      let told: Outcome | undefined;
      child.on('message', (message) => {
        told = message as Outcome; // it sends nothing else
      });
      child.on('error', reject);
      child.on('close', () => resolve(told));
      child.send(task);
    });
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
