import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { S3Settings } from '../../storage/objects/s3-client.ts';
import { createBackup } from '../backups/create-backup.ts';
import { lastBackup } from '../backups/last-backup.ts';
import { listBackups } from '../backups/list-backups.ts';
import { isBackupFault } from '../backups/manifest.ts';
import { openPlace, openSource } from '../backups/places/open-place.ts';
import { restoreBackup } from '../backups/restore-backup.ts';
import { verifyApart } from '../backups/verify-apart.ts';
import { verifyBackup } from '../backups/verify-backup.ts';
import type { BackedUp } from '../backups/write-backup.ts';
import { isS3Address } from '../domain/s3-address.ts';
import * as errors from '../domain/wire/errors.ts';
import { takeDataDirectory } from './data-directory.ts';
import type { Realms } from './deployment.ts';

const path = z.string().refine(isAbsolute, 'is not absolute');
const place = z
  .string()
  .refine((address) => isS3Address(address) || isAbsolute(address), 'is not absolute');

/**
 * The server runs this if there is one, because only it knows which files it is about to remove.
 */
export const BACKUP_CREATE = {
  args: z.object({ to: place, 'no-verify': z.boolean().default(false) }),
} as const;

export const BACKUP_STATUS = { args: z.object({}) } as const;

export const sourceOf = (realms: Realms, now: () => number): BackedUp => ({
  data: realms.path,
  realms: realms.all(),
  leftOut: realms
    .unserved()
    .map(({ id, names, reason }) => ({ id, string_id: names[0] ?? null, why: reason })),
  now,
});

export async function createHere(
  realms: Realms,
  { to, 'no-verify': isUnverified }: z.output<typeof BACKUP_CREATE.args>,
): Promise<object[]> {
  const { s3 } = realms.settings;
  try {
    return [
      await createBackup(sourceOf(realms, Date.now), {
        place: openPlace(to, s3),
        verify: isUnverified ? null : (address) => verifyApart({ address, s3 }),
      }),
    ];
  } catch (error) {
    if (isBackupFault(error)) throw errors.badRequest(error.message);
    throw error;
  }
}

/** Describes the last backup, also to people: times are written out. */
export function statusHere(realms: Realms): object {
  const last = lastBackup(realms.path);
  const written = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    to: realms.settings.backupTo,
    last_success: written(last.lastSuccessAt),
    backup: last.backup,
    bytes: last.bytes,
    files: last.files,
    seconds: last.durationMs === null ? null : last.durationMs / 1000,
    last_failure: written(last.lastFailureAt),
    why: last.lastFailure,
  };
}

/**
 * Commands on existing backups. They need neither a server nor a data directory, and may take long,
 * so the command line runs them itself.
 */
export const BACKUP_COMMANDS = {
  'backup list': {
    args: z.object({ in: place }),
    run: (args: { in: string }, s3: S3Settings) => listBackups(openPlace(args.in, s3)),
  },
  'backup verify': {
    args: z.object({ from: place }),
    run: async ({ from }: { from: string }, s3: S3Settings) => [
      await verifyBackup(openSource(from, s3)),
    ],
  },
  'backup restore': {
    args: z.object({ from: place, to: path }),
    run: async ({ from, to }: { from: string; to: string }, s3: S3Settings) => [
      await restoreBackup({
        from: openSource(from, s3),
        to,
        now: Date.now,
        take: (directory) => takeDataDirectory(directory, (socket) => socket.destroy()),
      }),
    ],
  },
} as const;
