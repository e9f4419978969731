import { z } from 'zod';
import { runCommand } from '../../admin/commands.ts';
import type { Realms } from '../../admin/deployment.ts';
import { CONSOLE_AUDIT_ENTRIES } from '../../domain/limits/operator.ts';
import { AUDIT_KINDS } from '../../domain/wire/audit-kinds.ts';
import { Role, roleName } from '../../domain/wire/roles.ts';
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
 * Reads the newest acts of a realm's audit log, or those before one that is known, by the code of
 * `confab audit`.
 */
export async function auditView(realms: Realms, query: URLSearchParams): Promise<AuditView> {
  const given = [...query].filter(([, value]) => value !== '');
  const args = { ...Object.fromEntries(given), limit: CONSOLE_AUDIT_ENTRIES + 1 };
  const lines = line.array().parse(await runCommand(realms, 'audit', args));
  const newestFirst = lines.reverse();
  const realm = realms.named(query.get('realm') ?? '');
  const nameOf = (userId: number) =>
    realm?.isOpen() ? realm.reader.users.get([userId])?.email : undefined;
  return {
    kinds: AUDIT_KINDS,
    entries: newestFirst.slice(0, CONSOLE_AUDIT_ENTRIES).map((one) => entryOf(one, nameOf)),
    hasMore: newestFirst.length > CONSOLE_AUDIT_ENTRIES,
  };
}

/** The kinds whose targets begin with the id of an account. */
const OF_ACCOUNTS: ReadonlySet<string> = new Set(['user', 'key', 'session']);

/** Returns what an act was done to, with the address of an account beside its id. */
function targetOf(kind: string, target: string, nameOf: NameOf): string {
  const name = OF_ACCOUNTS.has(kind) ? nameOf(Number.parseInt(target, 10)) : undefined;
  return name === undefined ? target : `${name} (${target})`;
}

type NameOf = (userId: number) => string | undefined;

const entryOf = (
  { id, at, by, user, user_id: userId, kind, op, target, before, after }: z.output<typeof line>,
  nameOf: NameOf,
): AuditLine => ({
  id,
  at: Date.parse(at),
  by: userId == null ? by : (user ?? `user ${userId}`),
  kind,
  op,
  target: targetOf(kind, String(target), nameOf),
  changes: [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map(
    (name) => ({
      name,
      before: textOf(name, before?.[name]),
      after: textOf(name, after?.[name]),
    }),
  ),
});

/** Returns a value as people read it; null where there is none. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (name === 'role' && isRole(value)) return roleName(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isRole = (value: unknown): value is Role => Object.values<unknown>(Role).includes(value);
