import { setPriority } from 'node:os';
import { openSource } from './places/open-place.ts';
import type { Outcome, Task } from './verify-apart.ts';
import { verifyBackup } from './verify-backup.ts';

// This is a process of its own: hashing a backup takes as long as making it, and the server has one
// thread.

/** The server comes first where there are not cores enough for both. */
const LOW_PRIORITY = 10;

/** Ends when the parent has gone: nobody would read the outcome. */
process.on('disconnect', () => process.exit(0));
// A terminal sends these signals to all processes; the end of the parent is noticed as above.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function outcomeOf({ address, s3 }: Task): Promise<Outcome> {
  try {
    await verifyBackup(openSource(address, s3));
    return { fault: null };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

setPriority(LOW_PRIORITY);
process.once('message', (task) => {
  // The parent sends nothing else.
  void outcomeOf(task as Task).then((outcome) => {
    process.send?.(outcome, () => process.disconnect());
  });
});
