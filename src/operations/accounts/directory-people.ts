import { hash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { PeopleEntry } from '../../config.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as profiles from '../users/profiles.ts';
import * as deactivation from './deactivation.ts';
import * as emailChanges from './email-changes.ts';
import * as grants from './grants.ts';

/** A person, as a directory has them now. */
export interface Listed {
  readonly subject: string;
  readonly email: string | null;
  readonly fullName: string;
  readonly timezone: string | undefined;
  readonly groups: readonly string[];
}

/** An account that came by a directory. */
export interface Known {
  readonly userId: number;
  readonly subject: string;
  readonly isActive: boolean;
  /** True if a sync has deactivated it, and nobody else. */
  readonly isGone: boolean;
}

/** The mark of a person who was gone: an identity beside the one by which they log in. */
const goneIssuer = (issuer: string) => `gone-from-${issuer}`;

const hashOf = (issuer: string, subject: string) =>
  hash('sha256', JSON.stringify([issuer, subject]));

/** Returns the accounts that came by a directory. */
export function accountsOf(reads: Reads, issuer: string): Known[] {
  const known: Known[] = [];
  for (const [[userId], row] of reads.identities.range({})) {
    const user = row.issuer === issuer ? reads.users.get([userId]) : undefined;
    if (user === undefined) continue;
    const { subject } = row;
    const isGone = reads.identities.has([userId, hashOf(goneIssuer(issuer), subject)]);
    known.push({ userId, subject, isActive: user.isActive, isGone });
  }
  return known;
}

export type Done = 'deactivated' | 'reactivated' | 'changed' | 'refused' | undefined;

interface Following {
  readonly entry: Pick<PeopleEntry, 'grants'>;
  readonly issuer: string;
  readonly known: Known;
}

/** Deactivates the account of a person who is gone. A refusal leaves it as it is. */
export function leave(tx: RealmTransaction, by: Caller, { issuer, known }: Following): Done {
  const { userId, subject } = known;
  if (tx.users.get([userId])?.isActive !== true) return undefined;
  if (refuses(() => deactivation.ofPerson(tx, by, { userId, comment: undefined })))
    return 'refused';
  const identity = hashOf(goneIssuer(issuer), subject);
  tx.identities.put([userId, identity], {
    issuer: goneIssuer(issuer),
    subject,
    linkedAt: tx.now,
  });
  tx.identityOwners.put([identity], { userId });
  return 'deactivated';
}

/**
 * Has an account follow its person: it is active again if a sync has deactivated it, and has the
 * name, the address, the time zone and the rights of the directory. Each field that cannot be
 * taken, such as the address of somebody else, stays as it was.
 */
export function follow(
  tx: RealmTransaction,
  by: Caller,
  { entry, issuer, known: { userId }, person }: Following & { readonly person: Listed },
): Done {
  const before = tx.users.get([userId]);
  if (before === undefined) return undefined;
  const identity = hashOf(goneIssuer(issuer), person.subject);
  const isBack = tx.identities.has([userId, identity]);
  if (isBack) {
    if (!before.isActive && refuses(() => deactivation.reactivate(tx, by, userId)))
      return 'refused';
    tx.identities.remove([userId, identity]);
    tx.identityOwners.remove([identity]);
  }
  const active = tx.users.get([userId]);
  if (!active?.isActive) return undefined;
  const isRefused = followFields(tx, by, { user: active, person });
  const current = tx.users.get([userId]) ?? active;
  const after = grants.apply(tx, entry, { user: current, groups: person.groups });
  if (isBack) return 'reactivated';
  if (isRefused) return 'refused';
  return isSame(active, after) ? undefined : 'changed';
}

const isSame = (one: UserRow, other: UserRow) =>
  one.fullName === other.fullName &&
  one.email === other.email &&
  one.timezone === other.timezone &&
  one.role === other.role;

function followFields(
  tx: RealmTransaction,
  { site }: Caller,
  { user, person }: { readonly user: UserRow; readonly person: Listed },
): boolean {
  const { fullName, email, timezone } = person;
  const now = () => tx.users.get([user.id]) ?? user;
  const isWrong = [
    fullName.trim() !== '' &&
      fullName.trim() !== user.fullName &&
      refuses(() => profiles.rename(tx, now(), profiles.acceptableName(tx, fullName, user.id))),
    timezone !== undefined &&
      refuses(() => profiles.setTimezone(tx, { user: now(), site }, timezone)),
    email !== null && refuses(() => emailChanges.changeNow(tx, { user: now(), site }, email)),
  ];
  return isWrong.includes(true);
}

/** The operations refuse before they change anything. */
function refuses(change: () => unknown): boolean {
  try {
    change();
    return false;
  } catch (error) {
    if (error instanceof errors.ApiError) return true;
    throw error;
  }
}
