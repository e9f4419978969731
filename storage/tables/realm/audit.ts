import type {
  AUDIT_ACTORS,
  AuditOp,
  AuditTarget,
  AuditValues,
} from '../../../src/domain/wire/audit.ts';
import type { AuditKind } from '../../../src/domain/wire/audit-kinds.ts';
import { table } from '../../table.ts';

/** An act that changed accounts, roles, settings, rights, keys or exports. */
export interface AuditRow {
  /** UNIX milliseconds. */
  readonly at: number;
  readonly by: (typeof AUDIT_ACTORS)[number];
  /** Null if it was no account. */
  readonly actingUserId: number | null;
  readonly kind: AuditKind;
  readonly op: AuditOp;
  readonly target: AuditTarget;
  /** The values that differ, without secrets and bounded; null if the thing is new. */
  readonly before: AuditValues | null;
  /** Null if the thing is gone. */
  readonly after: AuditValues | null;
}

/**
 * The audit log, oldest first. Rows are only added, in the commit of what they say, and the oldest
 * are removed when their time is over.
 */
export const auditLog = table<[id: number], AuditRow>('audit_log', [
  'at',
  'by',
  'actingUserId',
  'kind',
  'op',
  'target',
  'before',
  'after',
]);
