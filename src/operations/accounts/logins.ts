import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EMAIL_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import { looksLikeEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import { byEmail } from '../access/accounts.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import { signInEntries } from '../access/sign-in.ts';
import * as passkeys from '../second-steps/passkeys.ts';
import type { Owner } from '../second-steps/second-steps.ts';
import * as secondSteps from '../second-steps/second-steps.ts';
import { issueApiKey } from '../users/users.ts';
import type { NewBrowser } from './sessions.ts';
import * as sessions from './sessions.ts';

export interface LoginName {
  /** The account of the name, if there is one. */
  readonly user: UserRow | undefined;
  /** The same for every spelling of the same account. */
  readonly key: string;
}

/**
 * Returns the account of a user name. Refuses if no password can be valid (reference/endpoints.md
 * section 3). Where there is a directory, a name need not be an address.
 */
export function nameOf(reads: Reads, username: string, site: Site): LoginName {
  const hasDirectory = signInEntries(reads, site, 'ldap').length > 0;
  const isName = hasDirectory ? username !== '' : looksLikeEmail(username);
  if (!isName || username.length > EMAIL_LENGTH_MAX) {
    throw errors.badRequest(
      hasDirectory ? 'Enter a valid name or email address.' : 'Enter a valid email address.',
    );
  }
  realms.refuseDeactivated(reads);
  if (!hasDirectory && !hasPasswords(reads)) throw errors.passwordAuthDisabled();
  const user = byEmail(reads, username, site);
  return { user, key: user === undefined ? username.toLowerCase() : `${user.id}` };
}

const hasPasswords = (reads: Reads) => realmSetting(reads, 'authentication_methods').Email === true;

/**
 * Returns the hash that a password of this server has to match: null where passwords are turned
 * off, and for people of a directory, whose password is the one there.
 */
export function localHash(reads: Reads, user: UserRow | undefined, site: Site): string | null {
  if (user === undefined || !hasPasswords(reads)) return null;
  return isOfDirectory(reads, user, site) ? null : user.passwordHash;
}

/** Tests whether the password of an account is the one of a directory. */
export function isOfDirectory(reads: Reads, { id }: Pick<UserRow, 'id'>, site: Site): boolean {
  const names = signInEntries(reads, site, 'ldap').map(({ name }) => `ldap:${name}`);
  if (names.length === 0) return false;
  return Array.from(reads.identities.under([id])).some(([, { issuer }]) => names.includes(issuer));
}

/** Tests whether an account has a password, here or in a directory. */
export const hasPassword = (reads: Reads, user: UserRow, site: Site): boolean =>
  user.passwordHash !== null || isOfDirectory(reads, user, site);

/**
 * Issues a key after the password and the second step, if there is one, or a token of another
 * service was verified.
 */
export function issueLoginKey(
  tx: RealmTransaction,
  checked: UserRow,
  maker: 'login' | 'jwt' = 'login',
) {
  const user = stillRight(tx, checked);
  return { api_key: issueApiKey(tx, user.id, maker), email: user.email, user_id: user.id };
}

/** Begins a session after the password was verified. */
export function beginSession(tx: RealmTransaction, checked: UserRow, from: NewBrowser) {
  const user = stillRight(tx, checked);
  return { cookie: sessions.begin(tx, user.id, from), email: user.email, userId: user.id };
}

/**
 * Checks the second step of an account whose password was verified, and does what follows if it
 * passes. Returns a refusal instead of throwing it: a wrong code has to be counted.
 */
export function afterSecondStep<Result>(
  tx: RealmTransaction,
  owner: Owner,
  { code, follow }: { readonly code: string | undefined; readonly follow: () => Result },
): { readonly done: Result } | secondSteps.Refusal {
  const user = stillRight(tx, owner.user);
  return secondSteps.refusalOf(tx, { ...owner, user }, code) ?? { done: follow() };
}

/** Begins a session by a passkey, which stands for the password and the second step. */
export function beginPasskeySession(
  tx: RealmTransaction,
  use: Parameters<typeof passkeys.noteUse>[1],
  from: NewBrowser,
) {
  const user = tx.users.get([use.userId]);
  if (user === undefined) throw errors.secondStepFailed();
  if (!user.isActive) throw errors.userDeactivated();
  tx.actAs(user.id);
  passkeys.noteUse(tx, use);
  return { cookie: sessions.begin(tx, user.id, from), email: user.email, userId: user.id };
}

/** Returns the account as it is now; refuses if the verified password has changed meanwhile. */
function stillRight(tx: RealmTransaction, checked: UserRow): UserRow {
  const user = tx.users.get([checked.id]);
  if (user === undefined || user.passwordHash !== checked.passwordHash) {
    throw errors.authenticationFailed();
  }
  if (!user.isActive) throw errors.userDeactivated();
  tx.actAs(user.id);
  return user;
}
