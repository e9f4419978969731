import { identityHash } from '../../../storage/tables/people/identities.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { PeopleEntry } from '../../config.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import { acceptableName } from '../users/profiles.ts';
import * as grants from './grants.ts';
import * as joining from './joining.ts';
import * as placeholders from './placeholders.ts';

/** A person, as a provider or a directory has identified them. */
export interface Vouched {
  /** `iss` of OpenID Connect; another entry takes its type and name, like `ldap:office`. */
  readonly issuer: string;
  /** Never given to somebody else: `sub`, or a unique id of the directory. */
  readonly subject: string;
  readonly email: string | null;
  /** True if the address is the person's, as the provider or the operator says. */
  readonly isEmailProved: boolean;
  readonly fullName: string;
  /** The person's groups there, for the grants of the entry. */
  readonly groups: readonly string[];
}

type Entry = Pick<PeopleEntry, 'name' | 'grants' | 'makes_accounts'>;

/**
 * Returns the account of a person: the one that was theirs before, or else the one of their proved
 * address, or a new one by the realm's rules of joining. Applies the grants of the entry. Refuses
 * with a sentence for the person.
 */
export function accountFor(
  tx: RealmTransaction,
  site: Site,
  { entry, person }: { readonly entry: Entry; readonly person: Vouched },
): UserRow {
  realms.refuseDeactivated(tx);
  const found =
    known(tx, person) ?? byAddress(tx, site, person) ?? added(tx, site, { entry, person });
  if (!found.isActive) throw errors.userDeactivated();
  return grants.apply(tx, entry, { user: found, groups: person.groups });
}

function known(tx: Reads, person: Vouched): UserRow | undefined {
  const owner = tx.identityOwners.get([identityHash(person)]);
  return owner === undefined ? undefined : tx.users.get([owner.userId]);
}

/**
 * Returns the account of a proved address. It must not be of another person of the same provider:
 * addresses are given to others when somebody leaves.
 */
function byAddress(tx: RealmTransaction, site: Site, person: Vouched): UserRow | undefined {
  const owner = tx.userEmails.get([proved(person).toLowerCase()]);
  const user = owner === undefined ? undefined : tx.users.get([owner.userId]);
  if (user === undefined) return undefined;
  if (user.isSystem || user.botType !== null) throw errors.authenticationFailed();
  for (const [, { issuer }] of tx.identities.under([user.id])) {
    if (issuer === person.issuer) {
      throw errors.badRequest(
        'The account with your email address belongs to somebody else at this provider.',
      );
    }
  }
  const active = user.isActive ? user : placeholders.claim(tx, site, user);
  link(tx, active, person);
  return active;
}

function proved({ email, isEmailProved }: Vouched): string {
  if (email === null || email.trim() === '') {
    throw errors.badRequest('The provider does not tell your email address.');
  }
  if (!isEmailProved) {
    throw errors.badRequest('The provider has not verified your email address.');
  }
  return email.trim();
}

interface Adding {
  readonly entry: Entry;
  readonly person: Vouched;
}

/** Makes an account: by an invitation to the address, or else if people need none. */
function added(tx: RealmTransaction, site: Site, { entry, person }: Adding): UserRow {
  const email = proved(person);
  if (!entry.makes_accounts) throw errors.badRequest('You have no account in this organization.');
  const joiner = { email, fullName: nameFor(tx, person.fullName, email) };
  const user = byInvitation(tx, site, joiner) ?? withoutOne(tx, site, joiner);
  link(tx, user, person);
  return user;
}

function byInvitation(tx: RealmTransaction, site: Site, joiner: joining.Joiner) {
  const email = joiner.email.toLowerCase();
  for (const [, row] of [...tx.invitations.under(['email'])]) {
    if (row.isEnded || row.email?.toLowerCase() !== email) continue;
    const outcome = joining.accept(tx, site, { ...joiner, key: row.key, passwordHash: null });
    if ('user' in outcome) return outcome.user;
  }
  return undefined;
}

function withoutOne(tx: RealmTransaction, site: Site, joiner: joining.Joiner): UserRow {
  if (realmSetting(tx, 'invite_required')) {
    throw errors.badRequest(
      'You have no account in this organization, and joining it takes an invitation.',
    );
  }
  return joining.enroll(tx, site, joiner);
}

/** A name that cannot be one here is replaced by that of the mailbox; the person can change it. */
function nameFor(reads: Reads, fullName: string, email: string): string {
  try {
    return acceptableName(reads, fullName);
  } catch (error) {
    if (!(error instanceof errors.ApiError)) throw error;
    return email.slice(0, email.lastIndexOf('@')).slice(0, NAME_LENGTH);
  }
}

/** Shorter than any name may be at most. */
const NAME_LENGTH = 60;

/**
 * Forgets the persons of providers and directories that an account is of, and returns how many
 * there were. The next person who is vouched for with its address gets it, such as the same one
 * whom a provider has under a new number.
 */
export function unlink(tx: RealmTransaction, userId: number): number {
  const keys = [...tx.identities.keysUnder([userId])];
  for (const key of keys) {
    tx.identities.remove(key);
    tx.identityOwners.remove([key[1]]);
  }
  return keys.length;
}

function link(tx: RealmTransaction, user: UserRow, person: Vouched) {
  const identity = identityHash(person);
  const { issuer, subject } = person;
  tx.identities.put([user.id, identity], { issuer, subject, linkedAt: tx.now });
  tx.identityOwners.put([identity], { userId: user.id });
}
