import { hash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { userIdOfMadeUpEmail } from '../../domain/rules/people/users.ts';
import type { Site } from './caller.ts';
import type { Reads } from './groups.ts';

export const hashOfKey = (key: string) => hash('sha256', key);

/**
 * Returns an account by its real address, or by the one that exists only in the API; case is
 * ignored.
 */
export function byEmail(tx: Reads, email: string, site: Site): UserRow | undefined {
  const known = tx.userEmails.get([email.trim().toLowerCase()]);
  const userId = known?.userId ?? userIdOfMadeUpEmail(email.trim(), site.host);
  return userId === undefined ? undefined : tx.users.get([userId]);
}
