import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Role } from '../../domain/wire/roles.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as roles from '../groups/roles.ts';
import * as mailDomains from '../realm/mail-domains.ts';
import * as profiles from '../users/profiles.ts';
import * as deactivation from './deactivation.ts';

/**
 * Returns the account of an address that an import made, and that has never been active. Any other
 * inactive account was deactivated, and stays so.
 */
export function ofAddress(reads: Reads, email: string): UserRow | undefined {
  const owner = reads.userEmails.get([email.trim().toLowerCase()]);
  if (owner === undefined || !reads.placeholders.has([owner.userId])) return undefined;
  const user = reads.users.get([owner.userId]);
  return user?.isActive === false ? user : undefined;
}

/**
 * Hands an account that an import made to the owner of its address, which has been proved. Refuses
 * an account that was deactivated, and an address that may not join.
 */
export function claim(tx: RealmTransaction, site: Site, user: UserRow): UserRow {
  if (!tx.placeholders.has([user.id])) throw errors.userDeactivated();
  mailDomains.refuse(tx, user.email);
  deactivation.activate(tx, { user, site, client: '' }, user);
  return { ...user, isActive: true };
}

/** Refuses early what would be refused when the account is handed over. */
export function refuseClaim(reads: Reads, user: UserRow, fullName: string) {
  mailDomains.refuse(reads, user.email);
  profiles.acceptableName(reads, fullName, user.id);
}

interface Invited {
  readonly fullName: string;
  readonly passwordHash: string | null;
  /** The role that is offered, and that of the person who offers it. */
  readonly offered: Role;
  readonly inviterRole: Role;
}

/**
 * Hands an account to the person who was invited at its address, under the name that they give. It
 * keeps the role of the import if the inviter may give that role, and if it is not less than the
 * one that is offered.
 */
export function claimInvited(
  tx: RealmTransaction,
  site: Site,
  { user, fullName, passwordHash, offered, inviterRole }: Invited & { readonly user: UserRow },
): UserRow {
  refuseClaim(tx, user, fullName);
  const mayKeep = user.role >= inviterRole;
  const role = mayKeep && user.role < offered ? user.role : offered;
  const assigned = role === user.role ? user : roles.assign(tx, { user, role });
  const renamed = profiles.rename(tx, assigned, profiles.acceptableName(tx, fullName, assigned.id));
  return claim(tx, site, { ...renamed, passwordHash });
}
