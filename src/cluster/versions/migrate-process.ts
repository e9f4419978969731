import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import { migrateStore } from '../../../storage/replication/migrating.ts';
import type { MigrationOutcome, MigrationTask } from './migrate-apart.ts';
import { momentOf } from './seeded-moment.ts';

// This is a process of its own: a step is one transaction, and the node has one thread.

/** Ends when the parent has gone; a step that is under way is done or is not. */
process.on('disconnect', () => process.exit(0));
// A terminal sends these signals to all processes; the end of the parent is noticed as above.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function outcomeOf({ folder, to, moment }: MigrationTask): Promise<MigrationOutcome> {
  try {
    await migrateStore(folder, { to, moment: momentOf(moment), schemas: SCHEMAS });
    return { fault: null };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

process.once('message', (task) => {
  // The parent sends nothing else.
  void outcomeOf(task as MigrationTask).then((outcome) => {
    process.send?.(outcome, () => process.disconnect());
  });
});
