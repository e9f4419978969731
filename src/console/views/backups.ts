import { dirname, resolve } from 'node:path';
import type { Realms } from '../../admin/deployment.ts';
import { lastBackup } from '../../backups/last-backup.ts';
import { listBackups } from '../../backups/list-backups.ts';
import { isBackupFault } from '../../backups/manifest.ts';
import { openPlace } from '../../backups/places/open-place.ts';
import { verifyApart } from '../../backups/verify-apart.ts';
import type { ServerSettings } from '../../config.ts';
import { CONSOLE_ROWS_MAX } from '../../domain/limits/operator.ts';
import { isS3Address } from '../../domain/s3-address.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { BackupsView, BackupView } from '../wire.ts';

export interface BackupsInput {
  readonly realms: Realms;
  /** When the server backs itself up the next time (UNIX milliseconds); null: never. */
  readonly nextAt: number | null;
}

export function backupsView({ realms, nextAt }: BackupsInput): BackupsView {
  const { settings, path } = realms;
  const last = lastBackup(path);
  return {
    to: placeOf(settings),
    nextAt,
    keep: settings.backupKeep,
    lastSuccessAt: last.lastSuccessAt,
    backup: last.backup,
    bytes: last.bytes,
    files: last.files,
    seconds: last.durationMs === null ? null : last.durationMs / 1_000,
    lastFailureAt: last.lastFailureAt,
    why: last.lastFailure,
  };
}

/** Lists the backups of the place that the settings name, else of where the last one is. */
export async function backupList({ settings, path }: Realms): Promise<readonly BackupView[]> {
  const { backup } = lastBackup(path);
  const place = placeOf(settings) ?? (backup === null ? null : dirname(backup));
  if (place === null) return [];
  const lines = (await refusing(() => listBackups(openPlace(place, settings.s3)))) as BackupView[]; // as it says
  return lines.slice(-CONSOLE_ROWS_MAX).reverse();
}

/** Reads a backup again and compares all hashes, in a process of its own. */
export const verify = ({ settings }: Realms, address: string): Promise<void> =>
  refusing(() => verifyApart({ address, s3: settings.s3 }));

async function refusing<Reply>(act: () => Promise<Reply>): Promise<Reply> {
  try {
    return await act();
  } catch (error) {
    if (isBackupFault(error)) throw errors.badRequest(error.message);
    throw error;
  }
}

function placeOf({ backupTo }: ServerSettings): string | null {
  if (backupTo === null) return null;
  return isS3Address(backupTo) ? backupTo : resolve(backupTo);
}
