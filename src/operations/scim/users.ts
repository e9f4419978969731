import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { FULL_NAME_LENGTH_MAX, FULL_NAME_LENGTH_MIN } from '../../domain/limits/accounts.ts';
import { faultOfFullName } from '../../domain/rules/people/users.ts';
import type { Resource } from '../../domain/scim/match.ts';
import { patched, written } from '../../domain/scim/patch.ts';
import { noSuchResource, refusal } from '../../domain/scim/scim-errors.ts';
import { USER_SHAPE, USER_URN } from '../../domain/scim/shapes.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as changes from '../accounts/changes.ts';
import * as deactivation from '../accounts/deactivation.ts';
import * as joining from '../accounts/joining.ts';
import * as profiles from '../users/profiles.ts';
import { directory } from './acting.ts';
import {
  addressOf,
  changedNames,
  type DirectoryNames,
  fullNameOf,
  namesIn,
  namesOf,
  shownNames,
} from './directory-names.ts';
import { named, note, notesOn } from './external-ids.ts';
import { booleanIn, textIn } from './values.ts';

/** Tests for accounts that a directory sees: those of persons that it has not deleted. */
export const isSeen = (reads: Reads, user: UserRow): boolean =>
  !user.isSystem &&
  user.botType === null &&
  (user.isActive || !notesOn(reads, 'user', user.id).isDeleted);

export function found(reads: Reads, id: string): UserRow {
  const user = /^\d{1,15}$/.test(id) ? reads.users.get([Number(id)]) : undefined;
  if (user === undefined || !isSeen(reads, user)) throw noSuchResource();
  return user;
}

/** Returns an account as a User (RFC 7643, section 4.1), without its version. */
export function resourceOf(reads: Reads, site: Pick<Site, 'url'>, user: UserRow): Resource {
  const { externalId, userName, attributes } = notesOn(reads, 'user', user.id);
  return {
    schemas: [USER_URN],
    id: String(user.id),
    ...(externalId === null ? {} : { externalId }),
    userName: userName ?? user.email,
    ...shownNames(namesOf(attributes), user),
    active: user.isActive,
    meta: {
      resourceType: 'User',
      created: new Date(user.dateJoined * 1000).toISOString(),
      location: `${site.url}/scim/v2/Users/${user.id}`,
    },
  };
}

/**
 * Returns the accounts that a name may be of: those that a directory has called so, and the one
 * with this address, if no directory has given it another name.
 */
export function called(reads: Reads, userName: string): number[] {
  const ids = named(reads, userName);
  const owner = reads.userEmails.get([userName.toLowerCase()]);
  if (owner !== undefined && notesOn(reads, 'user', owner.userId).userName === null) {
    ids.push(owner.userId);
  }
  return ids;
}

/** Makes an account, or gives a deleted one back to its name or its address. */
export function create(tx: RealmTransaction, site: Site, body: Resource): UserRow {
  const wanted = written(body, USER_SHAPE);
  const userName = userNameIn(wanted);
  const names = namesIn(wanted);
  const email = addressOf(names, userName);
  if (email === undefined) {
    throw refusal('invalidValue', 'A mail address is required, in emails or as userName.');
  }
  const active = booleanIn(wanted, 'active') ?? true;
  const externalId = textIn(wanted, 'externalId') ?? null;
  const former = formerOf(tx, userName, email);
  const change = { userName, names, email, fullName: fullNameOf(names), active, externalId };
  if (former !== undefined) {
    note(tx, { kind: 'user', id: former.id }, { isDeleted: false });
    return write(tx, site, former, change);
  }
  tx.actAs('scim');
  const fullName = change.fullName ?? email.slice(0, email.lastIndexOf('@'));
  refuseName(fullName);
  if (joining.isTakenName(tx, fullName)) throw takenName(fullName);
  return write(tx, site, joining.enroll(tx, site, { email, fullName }), change);
}

/** Returns the account that was deleted under a name or an address; refuses those in use. */
function formerOf(tx: RealmTransaction, userName: string, email: string): UserRow | undefined {
  const owner = tx.userEmails.get([email.toLowerCase()]);
  const ids = [...called(tx, userName), ...(owner === undefined ? [] : [owner.userId])];
  const known = ids.map((id) => tx.users.get([id])).filter((user) => user !== undefined);
  for (const user of known) {
    const isFree = user.botType === null && !user.isSystem && !isSeen(tx, user);
    if (!isFree) throw taken({ userName, text: user.email === email ? email : userName });
  }
  return known[0];
}

/**
 * Replaces an account by PUT. Names and addresses that are left out are not the directory's any
 * more; the account keeps what it has, as it keeps `active`.
 */
export function replace(tx: RealmTransaction, site: Site, id: string, body: Resource): UserRow {
  const user = found(tx, id);
  const wanted = written(body, USER_SHAPE);
  const userName = userNameIn(wanted);
  const names = namesIn(wanted);
  return write(tx, site, user, {
    userName,
    names,
    email: addressOf(names, userName),
    fullName: fullNameOf(names),
    active: booleanIn(wanted, 'active'),
    externalId: textIn(wanted, 'externalId') ?? null,
  });
}

/** Changes an account by PATCH: only what the operations have changed is written. */
export function patch(tx: RealmTransaction, site: Site, id: string, body: Resource): UserRow {
  const user = found(tx, id);
  const shown = resourceOf(tx, site, user);
  const after = patched(shown, body, USER_SHAPE);
  if (after['active'] === undefined) throw refusal('invalidValue', 'active cannot be removed.');
  const userName = userNameIn(after);
  const isRenamed = userName !== shown['userName'];
  const own = namesOf(notesOn(tx, 'user', user.id).attributes);
  const [before, now] = [namesIn(shown), namesIn(after)];
  const names = changedNames(own, before, now);
  const isMoved = isRenamed || differ(before.emails, now.emails);
  const isCalled = differ([before.displayName, before.name], [now.displayName, now.name]);
  return write(tx, site, user, {
    userName,
    names,
    email: isMoved ? addressOf(names, userName) : undefined,
    fullName: isCalled ? fullNameOf(names) : undefined,
    active: booleanIn(after, 'active'),
    externalId: textIn(after, 'externalId') ?? null,
  });
}

const differ = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);

/** Deactivates an account, which the directory does not see any more. */
export function remove(tx: RealmTransaction, site: Site, id: string) {
  const user = found(tx, id);
  setActive(tx, site, user, false);
  note(tx, { kind: 'user', id: user.id }, { isDeleted: true });
}

/** The account as a directory wants it; undefined fields stay as they are. */
interface Wanted {
  readonly userName: string;
  readonly names: DirectoryNames;
  readonly email: string | undefined;
  readonly fullName: string | undefined;
  readonly active: boolean | undefined;
  readonly externalId: string | null;
}

/** Writes what differs, by the operations that administrators use. */
function write(tx: RealmTransaction, site: Site, user: UserRow, wanted: Wanted): UserRow {
  const { userName, names, email, fullName, active, externalId } = wanted;
  if (active === true) {
    if (!user.isActive) refuseTakenName(tx, user, user.fullName);
    setActive(tx, site, user, true);
  }
  refuseTaken(tx, user, { userName, text: userName });
  const isNew = email !== undefined && email !== user.email;
  const isCalled = fullName !== undefined && fullName !== user.fullName;
  if (isNew) refuseTaken(tx, user, { userName, text: email });
  if (isCalled) {
    refuseName(fullName);
    refuseTakenName(tx, user, fullName);
  }
  if (isNew || isCalled) {
    changes.update(tx, directory(tx, site), {
      named: user.id,
      change: {
        full_name: isCalled ? fullName : undefined,
        role: undefined,
        profile_data: undefined,
        new_email: isNew ? email : undefined,
      },
    });
  }
  if (active === false) setActive(tx, site, user, false);
  tx.actAs('scim');
  const attributes = Object.keys(names).length === 0 ? null : JSON.stringify(names);
  note(tx, { kind: 'user', id: user.id }, { externalId, userName, attributes });
  return tx.users.get([user.id]) ?? user;
}

function setActive(tx: RealmTransaction, site: Site, { id }: UserRow, isActive: boolean) {
  if (tx.users.get([id])?.isActive === isActive) return;
  // An owner who leaves is deactivated, though a directory may change no owner otherwise.
  const by = directory(tx, site, Role.owner);
  if (isActive) deactivation.reactivate(tx, by, id);
  else deactivation.ofPerson(tx, by, { userId: id, comment: undefined });
}

/** The text that may be taken is the name that the directory gives, or an address beside it. */
interface Name {
  readonly userName: string;
  readonly text: string;
}

/** Refuses a name or an address of somebody else; deleted accounts keep their addresses too. */
function refuseTaken(tx: Reads, user: UserRow, { userName, text }: Name) {
  const owner = tx.userEmails.get([text.toLowerCase()]);
  const others = [...called(tx, text), ...(owner === undefined ? [] : [owner.userId])];
  for (const id of others) {
    const other = tx.users.get([id]);
    if (other !== undefined && id !== user.id && isInWay(tx, other, text))
      throw taken({ userName, text });
  }
}

const isInWay = (tx: Reads, other: UserRow, text: string) =>
  isSeen(tx, other) || other.email.toLowerCase() === text.toLowerCase();

/** Refuses what cannot be a full name, and says which attributes it is made of. */
function refuseName(fullName: string) {
  const limits = { min: FULL_NAME_LENGTH_MIN, max: FULL_NAME_LENGTH_MAX };
  const fault = faultOfFullName(fullName.trim(), limits);
  if (fault === undefined) return;
  throw refusal('invalidValue', `displayName or name.formatted has to be a full name: ${fault}`);
}

/** Refuses a name that another account has, where names have to be unique. */
function refuseTakenName(tx: Reads, user: UserRow, fullName: string) {
  if (profiles.isTaken(tx, fullName, user.id)) throw takenName(fullName);
}

const takenName = (fullName: string) =>
  refusal(
    'uniqueness',
    `displayName or name.formatted has to be unique: there is an account called ${fullName}.`,
  );

/** An address may be in `emails` alone. */
const taken = ({ userName, text }: Name) =>
  refusal(
    'uniqueness',
    `${text === userName ? 'userName' : 'emails'} is taken: there is an account called ${text}.`,
  );

function userNameIn(wanted: Resource): string {
  const userName = textIn(wanted, 'userName')?.trim();
  if (userName === undefined || userName === '') {
    throw refusal('invalidValue', 'userName is required.');
  }
  return userName;
}
