import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { AuditRow } from '../../../storage/tables/realm/audit.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  AUDIT_ROWS_LOOKED_AT_MAX,
  AUDIT_ROWS_PER_STEP,
} from '../../domain/limits/organizations.ts';
import { canSeeEmail } from '../../domain/rules/people/users.ts';
import { type AuditEntry, type AuditValues, HIDDEN } from '../../domain/wire/audit.ts';
import type { AuditKind } from '../../domain/wire/audit-kinds.ts';
import type { Reads } from '../access/groups.ts';

/** The acts that are wanted; those that are undefined leave nothing out. */
export interface AuditQuery {
  /** Acts before this one, by its id. */
  readonly before?: number | undefined;
  /** How many, at most. */
  readonly count: number;
  readonly kind?: AuditKind | undefined;
  /** Acts of this account. */
  readonly actingUserId?: number | undefined;
  /** UNIX milliseconds, from which on; `until` is exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page; null: there are no more. */
  readonly nextBefore: number | null;
}

/**
 * Returns a page of the log, newest first. It looks at a bounded number of rows, so that a page may
 * be short, or empty, and not the last.
 */
export function page(reads: Reads, query: AuditQuery): AuditPage {
  const first = query.since === undefined ? 0 : firstAt(reads, query.since);
  const bounds = [
    query.before,
    query.until === undefined ? undefined : firstAt(reads, query.until),
  ];
  const end = Math.min(...bounds.map((bound) => bound ?? Number.MAX_SAFE_INTEGER));
  const entries: AuditEntry[] = [];
  let lookedAt = 0;
  let lowest = end;
  if (first >= end) return { entries, nextBefore: null };
  const rows = reads.auditLog.range({ start: [first], end: [end], isReverse: true });
  for (const [[id], row] of rows) {
    if (entries.length === query.count || lookedAt === AUDIT_ROWS_LOOKED_AT_MAX) {
      return { entries, nextBefore: lowest };
    }
    lookedAt += 1;
    lowest = id;
    if (isWanted(row, query)) entries.push(entryOf(id, row));
  }
  return { entries, nextBefore: null };
}

const isWanted = (row: AuditRow, { kind, actingUserId }: AuditQuery): boolean =>
  (kind === undefined || row.kind === kind) &&
  (actingUserId === undefined || row.actingUserId === actingUserId);

/** Returns the id of the first act at this time or later; times rise with ids. */
function firstAt({ auditLog }: Reads, at: number): number {
  const from = (id: number) => {
    for (const found of auditLog.range({ start: [id], limit: 1 })) return found;
    return undefined;
  };
  let low = 0;
  let high = 0;
  for (const [id] of auditLog.keys({ isReverse: true, limit: 1 })) high = id + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [[id], row] = from(middle) ?? [[high], undefined];
    if (row === undefined || row.at >= at) high = middle;
    else low = id + 1;
  }
  return low;
}

const entryOf = (id: number, row: AuditRow): AuditEntry => ({
  id,
  time: Math.floor(row.at / 1000),
  by: row.by,
  acting_user_id: row.actingUserId,
  kind: row.kind,
  op: row.op,
  target: row.target,
  before: row.before,
  after: row.after,
});

/**
 * Returns the act as this administrator may see it: the log has addresses that their owners let
 * nobody see.
 */
export function shownTo(reads: Reads, viewer: UserRow, entry: AuditEntry): AuditEntry {
  if (entry.kind !== 'user') return entry;
  const user = reads.users.get([Number(entry.target)]);
  if (user !== undefined && canSeeEmail(viewer, user)) return entry;
  return { ...entry, before: withoutEmail(entry.before), after: withoutEmail(entry.after) };
}

const withoutEmail = (values: AuditValues | null): AuditValues | null =>
  values !== null && 'email' in values ? { ...values, email: HIDDEN } : values;

/** Returns when (UNIX milliseconds) the oldest row has been kept for so many days; 0: for ever. */
export function nextAt(reads: Pick<Reads, 'auditLog'>, days: number): number | undefined {
  if (days === 0) return undefined;
  for (const [, { at }] of reads.auditLog.range({ limit: 1 })) return at + days * DAY_MS;
  return undefined;
}

/** Removes the oldest rows whose time is over, some at a time. */
export function prune(tx: RealmTransaction, days: number) {
  const before = tx.now - days * DAY_MS;
  // Read before anything is removed: a cursor does not outlive the removal of what it stands on.
  for (const [key, { at }] of [...tx.auditLog.range({ limit: AUDIT_ROWS_PER_STEP })]) {
    if (at > before) return;
    tx.auditLog.remove(key);
  }
}

/** Removes the oldest row, whose time is over, without looking at it. */
export function dropOldest(tx: RealmTransaction) {
  for (const key of [...tx.auditLog.keys({ limit: 1 })]) tx.auditLog.remove(key);
}

const DAY_MS = 86_400_000;
