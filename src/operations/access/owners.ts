import type { UserRow } from '../../../storage/tables/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import { accounts, type Reads } from './groups.ts';

/** Refuses all but owners: only they change owners (reference/endpoints.md 2.2). */
export function refuseOthers(by: UserRow) {
  if (by.role !== Role.owner) throw errors.unauthorizedPrincipal('Must be an organization owner');
}

/** Tests for the last owner of an organization. */
export function isLast(tx: Reads, user: UserRow): boolean {
  if (user.role !== Role.owner || !user.isActive || user.botType !== null) return false;
  for (const { id, role, isActive, botType } of accounts(tx)) {
    if (id !== user.id && role === Role.owner && isActive && botType === null) return false;
  }
  return true;
}
