import { isResource, type Resource } from '../../domain/scim/match.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';
import { NAME_PARTS } from '../../domain/scim/shapes.ts';
import { booleanIn, textIn } from './values.ts';

export interface Email {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
  readonly display?: string;
}

/**
 * The names and addresses of an account as its directory has written them. An attribute is null
 * after its removal, and undefined if the directory has never written it.
 */
export interface DirectoryNames {
  readonly displayName?: string | null;
  readonly name?: Readonly<Record<string, string>> | null;
  readonly emails?: readonly Email[] | null;
}

export const namesOf = (attributes: string | null): DirectoryNames =>
  attributes === null ? {} : (JSON.parse(attributes) as DirectoryNames);

/** Returns names and addresses of a resource; refuses values that are of another type. */
export function namesIn(resource: Resource): DirectoryNames {
  const { displayName, name, emails } = resource;
  return {
    ...(displayName === undefined ? {} : { displayName: displayNameIn(resource) }),
    ...(name === undefined ? {} : { name: partsIn(name) }),
    ...(emails === undefined ? {} : { emails: emailsIn(emails) }),
  };
}

const displayNameIn = (resource: Resource): string | null => {
  if (resource['displayName'] === null) return null;
  const text = textIn(resource, 'displayName')?.trim() ?? '';
  return text === '' ? null : text;
};

/** Entra clears an attribute by an empty text, which is the same as none. */
function partsIn(name: unknown): Readonly<Record<string, string>> | null {
  if (name === null) return null;
  if (!isResource(name)) throw refusal('invalidValue', 'name has to be an object.');
  const parts: Record<string, string> = {};
  for (const part of NAME_PARTS) {
    const text = textIn(name, part)?.trim();
    if (text !== undefined && text !== '') parts[part] = text;
  }
  return Object.keys(parts).length === 0 ? null : parts;
}

function emailsIn(emails: unknown): readonly Email[] | null {
  if (emails === null) return null;
  if (!Array.isArray(emails)) throw refusal('invalidValue', 'emails has to be a list.');
  const read = emails.map((one: unknown) => emailIn(one)).filter((email) => email !== undefined);
  if (read.filter(({ primary }) => primary === true).length > 1) {
    throw refusal('invalidValue', 'One address at most is the primary one.');
  }
  return read.length === 0 ? null : read;
}

function emailIn(one: unknown): Email | undefined {
  if (!isResource(one)) throw refusal('invalidValue', 'An address has to be an object.');
  const value = textIn(one, 'value')?.trim() ?? '';
  if (value === '') return undefined;
  const type = textIn(one, 'type');
  const display = textIn(one, 'display');
  const primary = booleanIn(one, 'primary');
  return {
    value,
    ...(type === undefined ? {} : { type }),
    ...(display === undefined ? {} : { display }),
    ...(primary === undefined ? {} : { primary }),
  };
}

/** Returns the full name that a directory means; undefined if it has written none. */
export function fullNameOf({ displayName, name }: DirectoryNames): string | undefined {
  const { formatted, givenName, middleName, familyName } = name ?? {};
  const joined = [givenName, middleName, familyName].filter((part) => part !== undefined);
  return displayName ?? formatted ?? (joined.length === 0 ? undefined : joined.join(' '));
}

/** Returns the place of the address for work, or else of the primary one, or else of the first. */
function placeOf(emails: readonly Email[]): number {
  const ofWork = emails.findIndex(({ type }) => type?.toLowerCase() === 'work');
  if (ofWork >= 0) return ofWork;
  return Math.max(
    0,
    emails.findIndex(({ primary }) => primary === true),
  );
}

/** Returns the address that an account gets; undefined if the directory has written none. */
export function addressOf({ emails }: DirectoryNames, userName: string): string | undefined {
  if (emails !== undefined && emails !== null) return emails[placeOf(emails)]?.value;
  return userName.includes('@') ? userName : undefined;
}

/**
 * Returns what a directory is shown of an account: its own words, as long as they are true, since
 * people change their names and addresses here too.
 */
export function shownNames(
  names: DirectoryNames,
  { fullName, email }: { readonly fullName: string; readonly email: string },
): Resource {
  const written = fullNameOf(names);
  const isTrue = written === undefined || written === fullName;
  const displayName = isTrue && names.displayName !== undefined ? names.displayName : fullName;
  const name = isTrue && names.name !== undefined ? names.name : split(fullName);
  const emails = names.emails === undefined ? [ofWork(email)] : withAddress(names.emails, email);
  return {
    ...(displayName === null ? {} : { displayName }),
    ...(name === null ? {} : { name }),
    ...(emails === null ? {} : { emails }),
  };
}

const ofWork = (value: string): Email => ({ value, type: 'work', primary: true });

function withAddress(emails: readonly Email[] | null, email: string): readonly Email[] | null {
  if (emails === null) return null;
  const place = placeOf(emails);
  if (emails[place]?.value.toLowerCase() === email.toLowerCase()) return emails;
  return emails.map((one, at) => (at === place ? { ...one, value: email } : one));
}

/** Splits a full name at its first space, as Authentik does: no list of names knows better. */
function split(fullName: string) {
  const [givenName = '', ...more] = fullName.split(' ');
  return {
    formatted: fullName,
    givenName,
    ...(more.length === 0 ? {} : { familyName: more.join(' ') }),
  };
}

/**
 * Returns what a directory has written after a PATCH: what it has changed, and of the rest only
 * what was its own before, since names that were made up here are not its own.
 */
export function changedNames(
  own: DirectoryNames,
  before: DirectoryNames,
  after: DirectoryNames,
): DirectoryNames {
  const displayName = isSame(before.displayName, after.displayName)
    ? own.displayName
    : (after.displayName ?? null);
  const emails = isSame(before.emails, after.emails) ? own.emails : (after.emails ?? null);
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(emails === undefined ? {} : { emails }),
    ...nameAfter(own, before, after),
  };
}

function nameAfter(own: DirectoryNames, before: DirectoryNames, after: DirectoryNames) {
  if (isSame(before.name, after.name)) return own.name === undefined ? {} : { name: own.name };
  if (after.name === undefined || after.name === null) return { name: null };
  const { formatted, ...parts } = after.name;
  // A name in one piece that was made up here would hide the parts that have changed.
  const isKept = own.name?.['formatted'] !== undefined || formatted !== before.name?.['formatted'];
  return { name: isKept ? after.name : parts };
}

const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
