import type { UserRow } from '../../../storage/tables/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import { accounts, type Reads } from './groups.ts';

/** Only owners decide who is one (reference/endpoints.md 2.2). */
export function refuseOthers(by: UserRow) {
  if (by.role !== Role.owner) throw errors.unauthorizedPrincipal('Must be an organization owner');
}

/** Whether an organization would have nobody left who owns it. */
export function isLast(tx: Reads, user: UserRow): boolean {
  if (user.role !== Role.owner || !user.isActive || user.botType !== null) return false;
  for (const { id, role, isActive, botType } of accounts(tx)) {
    if (id !== user.id && role === Role.owner && isActive && botType === null) return false;
  }
  return true;
}
