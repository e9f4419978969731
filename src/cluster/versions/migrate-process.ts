import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import { migrateStore } from '../../../storage/replication/migrating.ts';
import { performHere } from '../../processes/perform-here.ts';
import type { MigrationTask } from './migrate-apart.ts';
import { momentOf } from './seeded-moment.ts';

// This is a process of its own: a step is one transaction, and the node has one thread. A step that
// is under way when the node ends is done or is not.
performHere<MigrationTask>(async ({ folder, to, moment }) => {
  await migrateStore(folder, { to, moment: momentOf(moment), schemas: SCHEMAS });
});
