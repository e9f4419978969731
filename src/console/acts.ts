import { z } from 'zod';
import { runCommand } from '../admin/commands.ts';
import type { Realms } from '../admin/deployment.ts';
import * as errors from '../domain/wire/errors.ts';

/** The commands that the console offers; all others are left to the command line. */
const OFFERED: ReadonlySet<string> = new Set([
  'realm create',
  'realm show',
  'realm deactivate',
  'realm reactivate',
  'realm export',
  'user create',
  'user role',
  'user password-link',
  'user deactivate',
  'user reactivate',
  'key create',
  'backup create',
]);

const asked = z.object({ command: z.string(), args: z.record(z.string(), z.unknown()) });

/**
 * Runs a command as the command line does: by the same code, with the same refusals. Refuses with
 * an `ApiError`.
 */
export async function act(realms: Realms, body: unknown): Promise<object[]> {
  const { success, data } = asked.safeParse(body);
  if (!success || !OFFERED.has(data.command))
    throw errors.badRequest('The console has no such act');
  return await runCommand(realms, data.command, data.args);
}
