import { giveWay } from '../processes/give-way.ts';
import { performHere } from '../processes/perform-here.ts';
import { openSource } from './places/open-place.ts';
import type { Task } from './verify-apart.ts';
import { verifyBackup } from './verify-backup.ts';

// This is a process of its own: hashing a backup takes as long as making it, and the server has one
// thread.

// The server comes first where there are not cores enough for both.
giveWay();
performHere<Task>(async ({ address, s3 }) => {
  await verifyBackup(openSource(address, s3));
});
