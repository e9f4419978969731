import { setImmediate as letOthersRun } from 'node:timers/promises';
import { z } from 'zod';
import type { RealmReader } from '../../../storage/transaction.ts';
import { AUDIT_LINES_MAX } from '../../domain/limits/organizations.ts';
import type { AuditEntry } from '../../domain/wire/audit.ts';
import { AUDIT_KINDS } from '../../domain/wire/audit-kinds.ts';
import * as auditLog from '../../operations/realm/audit-log.ts';
import type { Realms } from '../deployment.ts';
import { found, known, realmName } from './on-realm.ts';

/** A day (UTC) or a time with its zone, in the form of ISO 8601. */
const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'is not a time like 2026-11-25 or 2026-11-25T08:00:00Z',
  })
  .transform((text) => Date.parse(text));

const LINES = 1_000;

/** The arguments of `audit`. */
export const AUDIT_ARGS = z.object({
  /** The realm as the operand, or else as the option. */
  name: z.string().optional(),
  realm: realmName,
  since: moment.optional(),
  until: moment.optional(),
  kind: z.enum(AUDIT_KINDS, { error: `is none of ${AUDIT_KINDS.join(', ')}` }).optional(),
  user: z.string().optional(),
  before: z.coerce.number({ error: 'is not an id' }).int().min(1).optional(),
  limit: z.coerce
    .number({ error: 'is not a number' })
    .int()
    .min(1)
    .max(AUDIT_LINES_MAX, `is more than ${AUDIT_LINES_MAX}`)
    .default(LINES),
});

type Args = z.output<typeof AUDIT_ARGS>;

/** Returns acts of the audit log, oldest first. */
export async function audit(realms: Realms, args: Args): Promise<object[]> {
  const { reader } = found(realms, args.name ?? args.realm);
  const { since, until, kind, limit } = args;
  const actingUserId = args.user === undefined ? undefined : known(reader, args.user).id;
  const lines: object[] = [];
  let before: number | null | undefined = args.before;
  while (before !== null && lines.length < limit) {
    const count = limit - lines.length;
    const { entries, nextBefore } = auditLog.page(reader, {
      before,
      count,
      kind,
      actingUserId,
      since,
      until,
    });
    for (const entry of entries) lines.push(lineOf(reader, entry));
    before = nextBefore;
    // A log may be long, and nobody else is served while it is looked at.
    await letOthersRun();
  }
  return lines.reverse();
}

/** Returns an act with the address of who acted: the operator may see all of them. */
function lineOf(reader: RealmReader, { time, acting_user_id: userId, ...entry }: AuditEntry) {
  const user = userId === null ? undefined : reader.users.get([userId]);
  return {
    id: entry.id,
    at: new Date(time * 1000).toISOString(),
    by: entry.by,
    ...(userId === null ? {} : { user_id: userId, user: user?.email ?? null }),
    kind: entry.kind,
    op: entry.op,
    target: entry.target,
    before: entry.before,
    after: entry.after,
  };
}
