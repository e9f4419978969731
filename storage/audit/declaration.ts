import { type AuditTarget, type AuditValues, HIDDEN } from '../../src/domain/wire/audit.ts';
import type { AuditKind } from '../../src/domain/wire/audit-kinds.ts';
import type { Key } from '../key.ts';

/** Says what the audit log records of a table, beside the table itself. */
export type AuditDeclaration<K extends Key, R extends object> =
  | ThingDeclaration<K, R>
  | MemberDeclaration<K, R>;

/** Each row describes a thing, and its values are compared. */
export interface ThingDeclaration<K extends Key, R extends object> {
  readonly kind: AuditKind;
  target(key: K, row: R): AuditTarget;
  /** Returns the values that are compared; secrets are made with `hidden`. */
  values(row: R, key: K): AuditValues;
}

/** Each row says that somebody belongs to something; those of one operation are one act. */
export interface MemberDeclaration<K extends Key, R extends object> {
  readonly kind: AuditKind;
  target(key: K, row: R): AuditTarget;
  member(key: K): number;
}

/** A secret value: a change of it is seen, and it is never written down. */
export class Hidden {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  toJSON(): string {
    return HIDDEN;
  }
}

/** Hides a value; null stays null, since it tells that there is none. */
export const hidden = (value: unknown): Hidden | null =>
  value === null || value === undefined ? null : new Hidden(value);
