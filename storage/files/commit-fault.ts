import { statfsSync } from 'node:fs';
import { diskCode, diskFault } from './disk-fault.ts';

/** LMDB rejects with an error that promises another one, which says why the commit failed. */
export async function commitFault(error: unknown, path: string): Promise<unknown> {
  const promised = (error as { commitError?: Promise<unknown> }).commitError;
  if (promised === undefined) return error;
  // The process has to end, even if LMDB never says more.
  const patience = new Promise((resolve) => setTimeout(resolve, COMMIT_FAULT_MS));
  const cause = await Promise.race([promised, patience]).catch((reason: unknown) => reason);
  if (cause === undefined) return error;
  const code = isCutShort(cause, path) ? 'ENOSPC' : diskCode(cause);
  const failed = new Error(`a commit failed: ${diskFault({ message: String(cause), code })}`, {
    cause,
  });
  return code === undefined ? failed : Object.assign(failed, { code });
}

const COMMIT_FAULT_MS = 500;

/** LMDB reports a write for which the disk had only some room as a fault of the disk. */
function isCutShort(cause: unknown, path: string): boolean {
  if (diskCode(cause) !== 'EIO') return false;
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < WRITTEN_BYTES_MAX;
  } catch {
    return false;
  }
}

/**
 * More than LMDB writes at once: with less free than this, a write that was cut short has filled
 * the disk.
 */
const WRITTEN_BYTES_MAX = 1024 * 1024;
