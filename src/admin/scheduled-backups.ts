import { resolve } from 'node:path';
import type { Clock } from '../../actors/clock.ts';
import { type Created, createBackup } from '../backups/create-backup.ts';
import { lastBackup } from '../backups/last-backup.ts';
import { openPlace } from '../backups/places/open-place.ts';
import {
  type BackupFailure,
  type BackupSchedule,
  openBackupSchedule,
} from '../backups/schedule.ts';
import { verifyApart } from '../backups/verify-apart.ts';
import { isS3Address } from '../domain/s3-address.ts';
import { sourceOf } from './backups.ts';
import type { Realms } from './deployment.ts';

export interface ScheduledBackups {
  readonly clock: Clock;
  readonly onCreated: (created: Created) => void;
  readonly onFailed: (failure: BackupFailure) => void;
}

/** Starts the backups that the settings ask for; null: they ask for none. */
export function scheduleBackups(
  realms: Realms,
  { clock, ...told }: ScheduledBackups,
): BackupSchedule | null {
  const { backupTo, backupAt, backupKeep, s3 } = realms.settings;
  if (backupTo === null) return null;
  const to = isS3Address(backupTo) ? backupTo : resolve(backupTo);
  const { backup, lastSuccessAt } = lastBackup(realms.path);
  const isThere = backup?.startsWith(`${to.replace(/\/$/, '')}/`) ?? false;
  return openBackupSchedule({
    ...told,
    clock,
    times: backupAt,
    lastSuccessAt: isThere ? lastSuccessAt : null,
    create: async (signal) =>
      createBackup(
        sourceOf(realms, () => clock.now()),
        {
          place: openPlace(to, s3),
          verify: (address) => verifyApart({ address, s3 }, signal),
          keep: backupKeep,
          signal,
        },
      ),
  });
}
