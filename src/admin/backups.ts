import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { createBackup } from '../backups/create-backup.ts';
import { listBackups } from '../backups/list-backups.ts';
import { BackupError } from '../backups/manifest.ts';
import { restoreBackup } from '../backups/restore-backup.ts';
import { verifyBackup } from '../backups/verify-backup.ts';
import * as errors from '../domain/wire/errors.ts';
import { takeDataDirectory } from './data-directory.ts';
import type { Realms } from './deployment.ts';

const path = z.string().refine(isAbsolute, 'is not absolute');

/**
 * The server runs this if there is one, because only it knows which files it is about to remove.
 */
export const BACKUP_CREATE = {
  args: z.object({ to: path }),
} as const;

export async function createHere(realms: Realms, { to }: { to: string }): Promise<object[]> {
  try {
    const leftOut = realms
      .unserved()
      .map(({ id, names, reason }) => ({ id, string_id: names[0] ?? null, why: reason }));
    const source = { data: realms.path, realms: realms.all(), leftOut, now: Date.now };
    return [await createBackup(source, to)];
  } catch (error) {
    if (error instanceof BackupError) throw errors.badRequest(error.message);
    throw error;
  }
}

/**
 * Commands on existing backups. They need neither a server nor a data directory, and may take long,
 * so the command line runs them itself.
 */
export const BACKUP_COMMANDS = {
  'backup list': {
    args: z.object({ in: path }),
    run: (args: { in: string }) => listBackups(args.in),
  },
  'backup verify': {
    args: z.object({ from: path }),
    run: async ({ from }: { from: string }) => [await verifyBackup(from)],
  },
  'backup restore': {
    args: z.object({ from: path, to: path }),
    run: async ({ from, to }: { from: string; to: string }) => [
      await restoreBackup({
        from,
        to,
        now: Date.now,
        take: (directory) => takeDataDirectory(directory, (socket) => socket.destroy()),
      }),
    ],
  },
} as const;
