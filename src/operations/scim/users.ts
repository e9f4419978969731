import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isResource, type Resource } from '../../domain/scim/match.ts';
import { patched, written } from '../../domain/scim/patch.ts';
import { noSuchResource, refusal } from '../../domain/scim/scim-errors.ts';
import { USER_SHAPE, USER_URN } from '../../domain/scim/shapes.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as changes from '../accounts/changes.ts';
import * as deactivation from '../accounts/deactivation.ts';
import * as joining from '../accounts/joining.ts';
import { directory } from './acting.ts';
import { note, notesOn } from './external-ids.ts';
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

/** Returns an account as a User (RFC 7643, section 4.1). The server knows the full name alone. */
export function resourceOf(reads: Reads, site: Pick<Site, 'url'>, user: UserRow): Resource {
  const { externalId } = notesOn(reads, 'user', user.id);
  const [givenName = '', ...more] = user.fullName.split(' ');
  return {
    schemas: [USER_URN],
    id: String(user.id),
    ...(externalId === null ? {} : { externalId }),
    userName: user.email,
    displayName: user.fullName,
    name: {
      formatted: user.fullName,
      givenName,
      ...(more.length === 0 ? {} : { familyName: more.join(' ') }),
    },
    active: user.isActive,
    emails: [{ value: user.email, type: 'work', primary: true }],
    meta: {
      resourceType: 'User',
      created: new Date(user.dateJoined * 1000).toISOString(),
      location: `${site.url}/scim/v2/Users/${user.id}`,
    },
  };
}

/** Makes an account, or gives a deleted one back to its address. */
export function create(tx: RealmTransaction, site: Site, body: Resource): UserRow {
  const wanted = written(body, USER_SHAPE);
  const userName = addressIn(wanted);
  const owner = tx.userEmails.get([userName.toLowerCase()]);
  const former = owner === undefined ? undefined : tx.users.get([owner.userId]);
  if (former !== undefined) {
    const isFree = former.botType === null && !former.isSystem && !isSeen(tx, former);
    if (!isFree) throw refusal('uniqueness', `There is an account with the address ${userName}.`);
    note(tx, { kind: 'user', id: former.id }, { isDeleted: false });
    return write(tx, site, { user: former, wanted: { active: true, ...wanted } });
  }
  tx.actAs('scim');
  const fullName = nameIn(wanted) ?? userName.slice(0, userName.lastIndexOf('@'));
  const user = joining.enroll(tx, site, { email: userName, fullName });
  return write(tx, site, { user, wanted });
}

/** Replaces an account by PUT: attributes that are left out stay, but for the external id. */
export function replace(tx: RealmTransaction, site: Site, id: string, body: Resource): UserRow {
  const user = found(tx, id);
  const wanted = written(body, USER_SHAPE);
  addressIn(wanted);
  return write(tx, site, { user, wanted: { externalId: null, ...wanted } });
}

/** Changes an account by PATCH: only what the operations have changed is written. */
export function patch(tx: RealmTransaction, site: Site, id: string, body: Resource): UserRow {
  const user = found(tx, id);
  const before = resourceOf(tx, site, user);
  const after = patched(before, body, USER_SHAPE);
  const changed = new Map<string, unknown>();
  for (const name of ['userName', 'displayName', 'active'] as const) {
    if (after[name] !== before[name]) changed.set(name, after[name]);
  }
  if (after['externalId'] !== before['externalId']) {
    changed.set('externalId', after['externalId'] ?? null);
  }
  if (!changed.has('displayName')) {
    const name = changedName(before['name'], after['name']);
    if (name !== undefined) changed.set('displayName', name);
  }
  if (!changed.has('userName')) {
    const email = workAddress(after);
    if (email !== undefined && email !== user.email) changed.set('userName', email);
  }
  for (const name of ['userName', 'displayName'] as const) {
    if (changed.has(name) && changed.get(name) === undefined) {
      throw refusal('invalidValue', `${name} cannot be removed.`);
    }
  }
  return write(tx, site, { user, wanted: Object.fromEntries(changed) });
}

/** Deactivates an account, which the directory does not see any more. */
export function remove(tx: RealmTransaction, site: Site, id: string) {
  const user = found(tx, id);
  write(tx, site, { user, wanted: { active: false } });
  note(tx, { kind: 'user', id: user.id }, { isDeleted: true });
}

/** Writes what differs, by the operations that administrators use. */
function write(
  tx: RealmTransaction,
  site: Site,
  { user, wanted }: { readonly user: UserRow; readonly wanted: Resource },
): UserRow {
  const active = booleanIn(wanted, 'active') ?? user.isActive;
  const email = textIn(wanted, 'userName');
  const name = nameIn(wanted);
  const externalId = wanted['externalId'] === null ? null : textIn(wanted, 'externalId');
  const current = () => tx.users.get([user.id]) ?? user;
  // An owner who leaves is deactivated, though a directory may change no owner otherwise.
  const ending = directory(tx, site, Role.owner);
  if (active && !user.isActive) deactivation.reactivate(tx, ending, user.id);
  const isNew = email !== undefined && email.trim() !== user.email;
  if (isNew) refuseTaken(tx, user, email.trim());
  if (isNew || (name !== undefined && name !== user.fullName)) {
    changes.update(tx, directory(tx, site), {
      named: user.id,
      change: {
        full_name: name,
        role: undefined,
        profile_data: undefined,
        new_email: isNew ? email : undefined,
      },
    });
  }
  if (!active && current().isActive) {
    deactivation.ofPerson(tx, ending, { userId: user.id, comment: undefined });
  }
  note(tx, { kind: 'user', id: user.id }, externalId === undefined ? {} : { externalId });
  return current();
}

function refuseTaken(tx: Reads, user: UserRow, email: string) {
  const taken = tx.userEmails.get([email.toLowerCase()]);
  if (taken === undefined || taken.userId === user.id) return;
  throw refusal('uniqueness', `There is an account with the address ${email}.`);
}

function addressIn(wanted: Resource): string {
  const userName = textIn(wanted, 'userName')?.trim();
  if (userName === undefined || userName === '') {
    throw refusal('invalidValue', 'userName is required: it is the mail address.');
  }
  return userName;
}

/** Returns the full name that a resource has in one of its three places; the first one counts. */
function nameIn(wanted: Resource): string | undefined {
  const name = isResource(wanted['name']) ? wanted['name'] : {};
  const whole = textIn(wanted, 'displayName') ?? textIn(name, 'formatted') ?? joined(name);
  const trimmed = whole?.trim();
  return trimmed === '' ? undefined : trimmed;
}

const joined = (name: Resource): string =>
  [textIn(name, 'givenName'), textIn(name, 'familyName')]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

function changedName(before: unknown, after: unknown): string | undefined {
  if (!isResource(before) || !isResource(after)) return undefined;
  const formatted = textIn(after, 'formatted');
  if (formatted !== before['formatted']) return formatted;
  const name = joined(after);
  return name === joined(before) || name === '' ? undefined : name;
}

/** Returns the address for work, or else the primary one, or else the first. */
function workAddress(wanted: Resource): string | undefined {
  const emails = Array.isArray(wanted['emails']) ? wanted['emails'].filter(isResource) : [];
  const one =
    emails.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work') ??
    emails.find(({ primary }) => primary === true) ??
    emails[0];
  return one === undefined ? undefined : textIn(one, 'value')?.trim();
}
