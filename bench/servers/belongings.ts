import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Children and directories of this process go with it, also when a run is given up. A signal must
// end the process by `process.exit`, as `endOnSignals` does: by default it would end at once, and
// leave all of it.

const children = new Set<ChildProcess>();
const directories = new Set<string>();

process.once('exit', () => {
  // First those who write to the directories. They are ended, not asked: nobody wants what they
  // hold.
  for (const child of children) child.kill('SIGKILL');
  for (const path of directories) remove(path);
});

/** By which a run is given up. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends the process by an exit of its own, at which what belongs to it goes as well. */
export function endOnSignals(): void {
  for (const signal of ENDING_SIGNALS) process.on(signal, () => process.exit(1));
}

/** Ends with this process, from its first moment on. */
export function belonging<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** A directory for one run, and how to remove it. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'confab-bench-'));
  directories.add(path);
  return {
    path,
    remove: () => {
      directories.delete(path);
      remove(path);
    },
  };
}

/**
 * A process that was just killed may still finish its last write there, which takes seconds on a
 * busy disk. Each retry waits 20 ms longer, so that they are given up after some nine seconds.
 */
const remove = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 30, retryDelay: 20 });
