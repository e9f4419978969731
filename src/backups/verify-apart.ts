import { fileURLToPath } from 'node:url';
import type { S3Settings } from '../../storage/objects/s3-client.ts';
import { performApart } from '../processes/perform-apart.ts';
import { BackupError } from './manifest.ts';

/** The backup that a process of its own is to verify. */
export interface Task {
  readonly address: string;
  readonly s3: S3Settings;
}

const PROGRAM = fileURLToPath(new URL('./verify-process.js', import.meta.url));

/** Verifies a backup in a process of its own, so that nobody waits while it is hashed. */
export async function verifyApart(task: Task, signal?: AbortSignal): Promise<void> {
  const outcome = await performApart(PROGRAM, task, signal);
  if (outcome === undefined) throw new BackupError('the process that verified a backup ended');
  if (outcome.fault !== null) throw new BackupError(outcome.fault);
}
