import { z } from 'zod';
import { runCommand } from '../../admin/commands.ts';
import type { Realms } from '../../admin/deployment.ts';
import { CONSOLE_AUDIT_ENTRIES } from '../../domain/limits.ts';
import { AUDIT_KINDS } from '../../domain/wire/audit-kinds.ts';
import type { AuditLine, AuditView } from '../wire.ts';

/** A line of `confab audit`. */
const line = z.object({
  id: z.int(),
  at: z.string(),
  by: z.string(),
  user: z.string().nullish(),
  user_id: z.int().nullish(),
  kind: z.string(),
  op: z.string(),
  target: z.union([z.int(), z.string()]),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});

/**
 * Reads the newest acts of a realm's audit log, or those before one that is known, as `confab audit`
 * does.
 */
export async function auditView(realms: Realms, query: URLSearchParams): Promise<AuditView> {
  const given = [...query].filter(([, value]) => value !== '');
  const args = { ...Object.fromEntries(given), limit: CONSOLE_AUDIT_ENTRIES + 1 };
  const lines = line.array().parse(await runCommand(realms, 'audit', args));
  const newestFirst = lines.reverse();
  return {
    kinds: AUDIT_KINDS,
    entries: newestFirst.slice(0, CONSOLE_AUDIT_ENTRIES).map(entryOf),
    hasMore: newestFirst.length > CONSOLE_AUDIT_ENTRIES,
  };
}

const entryOf = ({
  id,
  at,
  by,
  user,
  user_id: userId,
  kind,
  op,
  target,
  before,
  after,
}: z.output<typeof line>): AuditLine => ({
  id,
  at: Date.parse(at),
  by: userId == null ? by : (user ?? `user ${userId}`),
  kind,
  op,
  target: String(target),
  changes: [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map(
    (name) => ({
      name,
      before: textOf(before?.[name]),
      after: textOf(after?.[name]),
    }),
  ),
});

/** Returns a value as people read it; null where there is none. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
