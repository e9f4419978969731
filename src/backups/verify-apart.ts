import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { S3Settings } from '../../storage/objects/s3-client.ts';
import { BackupError } from './manifest.ts';

/** The backup that a process of its own is to verify. */
export interface Task {
  readonly address: string;
  readonly s3: S3Settings;
}

/** The outcome that it reports: null if the backup is whole. */
export interface Outcome {
  readonly fault: string | null;
}

const PROGRAM = fileURLToPath(new URL('./verify-process.js', import.meta.url));

/**
 * Verifies a backup in a process of its own, so that nobody waits while it is hashed. The task is
 * sent as a message: arguments would show the keys to everybody on the machine.
 */
export async function verifyApart(task: Task, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const child = fork(PROGRAM, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const stop = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const outcome = await new Promise<Outcome | undefined>((resolve, reject) => {
      let told: Outcome | undefined;
      child.on('message', (message) => {
        told = message as Outcome; // it sends nothing else
      });
      child.on('error', reject);
      child.on('close', () => resolve(told));
      child.send(task);
    });
    if (outcome === undefined) throw new BackupError('the process that verified a backup ended');
    if (outcome.fault !== null) throw new BackupError(outcome.fault);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
