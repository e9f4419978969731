import type { Realm } from '../../actors/realm/realm-handle.ts';
import { CREDENTIALS_CACHED_MAX } from '../domain/limits/credentials.ts';
import { type RecentlyUsed, recentlyUsed } from '../domain/recently-used.ts';
import * as errors from '../domain/wire/errors.ts';
import {
  accountOf,
  checkCredentials,
  type KnownKey,
  knownUrlKey,
  refuseIncomingWebhook,
  sessionEnd,
} from '../operations/access/authentication.ts';
import type { Caller, Site } from '../operations/access/caller.ts';
import { isLacking } from '../operations/access/second-steps.ts';
import { refuseUnsigned } from '../operations/bots/webhook-secrets.ts';
import { hasDomain } from '../settings/addresses.ts';
import { clientName, type NamedClient } from './client-name.ts';

/** Valid credentials: an `Authorization` header, or the cookie of a session. */
export interface Credentials {
  /** Their text, as it first came. */
  readonly header: string;
  readonly user: Caller['user'];
  /** The version of the accounts when the user was read. */
  readonly version: number;
}

interface Known extends Credentials {
  readonly key: KnownKey;
  /** The hour in which its use was noted last (`actors/realm/key-uses.ts`). */
  notedIn: number;
  /** When a session ends (UNIX ms) if it is not used again; null for a key. */
  readonly endsAt: number | null;
}

/** The client that uses a key, for the list of the keys of an account. */
export interface Bearer extends NamedClient {
  /** Returns the client's address, in the form that limits count. */
  readonly address: () => string;
}

/**
 * Caches valid headers by their text: decoding and hashing costs more than the rest of a request.
 */
const known = new WeakMap<Realm, RecentlyUsed<string, Known>>();

/**
 * Returns the account of an `Authorization` header, which may do more than send; refuses with
 * `UNAUTHORIZED`.
 */
export function authenticate(
  realm: Realm | undefined,
  header: string,
  site: Site,
  bearer?: Bearer,
): Caller['user'] {
  return credentialsOf(realm, header, site, bearer).user;
}

/** Returns the account also of a person who has to add a second step before anything else. */
export function authenticateForSecondStep(
  realm: Realm | undefined,
  header: string,
  site: Site,
): Caller['user'] {
  const { user } = knownOf(realm, header, site);
  refuseIncomingWebhook(user);
  return user;
}

/**
 * Does the same, and returns the header and the version of the accounts, to be compared with later
 * ones.
 */
export function credentialsOf(
  realm: Realm | undefined,
  header: string,
  site: Site,
  bearer?: Bearer,
): Credentials {
  const known = knownOf(realm, header, site);
  noteUse(realm, known, bearer);
  refuseIncomingWebhook(known.user);
  if (realm !== undefined && isLacking(realm.reader, known.user)) throw errors.secondStepMissing();
  return known;
}

/** Returns the account also of bots that may only send. */
export function authenticateSender(
  realm: Realm | undefined,
  header: string,
  site: Site,
  bearer?: Bearer,
): Caller['user'] {
  const known = knownOf(realm, header, site);
  noteUse(realm, known, bearer);
  if (realm !== undefined) refuseUnsigned(realm.reader, known.user);
  return known.user;
}

/** Returns the account of a key in a URL. */
export function authenticateUrlKey(
  { reader, keyUses, now }: Realm,
  key: string,
  bearer?: Bearer,
): Caller['user'] {
  const { user, keyHash } = knownUrlKey(reader, key);
  if (bearer !== undefined && !keyUses.isNoted(keyHash)) {
    const from = { client: clientName(bearer), address: bearer.address() };
    keyUses.note({ userId: user.id, keyHash }, from, now());
  }
  return user;
}

/** Returns the account without a check of what it may do. */
export const accountOfHeader = (
  realm: Realm | undefined,
  header: string,
  site: Site,
): Caller['user'] => knownOf(realm, header, site).user;

/** Returns the hash of the key in a valid header; undefined without a header. */
export const keyHashOf = (realm: Realm, header: string, site: Site): string | undefined =>
  header === '' ? undefined : knownOf(realm, header, site).key.keyHash;

/** Notes the use of a key once an hour for each header; else it costs a comparison. */
function noteUse(realm: Realm | undefined, known: Known, bearer: Bearer | undefined) {
  if (bearer === undefined || realm === undefined) return;
  const { keyUses } = realm;
  if (known.notedIn === keyUses.period) return;
  known.notedIn = keyUses.period;
  const from = { client: clientName(bearer), address: bearer.address() };
  keyUses.note(known.key, from, realm.now());
}

function knownOf(realm: Realm | undefined, header: string, site: Site): Known {
  // If the operator has set a domain, a mistyped name is told apart from missing credentials.
  if (realm === undefined && hasDomain(site.settings)) throw errors.nonexistentSubdomain();
  if (header === '') throw errors.unauthorized();
  if (realm === undefined) {
    throw errors.unauthorized('Account is not associated with this subdomain');
  }
  const headers = headersOf(realm);
  const found = headers.get(header);
  const version = realm.reader.accountsVersion();
  if (found?.version === version && !mayHaveEnded(found, realm)) return found;
  // Some account has changed since, or the header is new.
  const key = found?.key ?? checkCredentials(realm.reader, header, site);
  const user = accountOf(realm.reader, key);
  // The header may name the address that the account had before.
  if (found !== undefined && found.user.email !== user.email) {
    checkCredentials(realm.reader, header, site);
  }
  const notedIn = found?.notedIn ?? NEVER;
  const endsAt = endOf(realm, key);
  const now = { header: found?.header ?? header, key, user, version, notedIn, endsAt };
  headers.set(header, now);
  return now;
}

/** Tests for a session whose end has passed; it may have been used since its end was read. */
const mayHaveEnded = ({ endsAt }: Known, realm: Realm) => endsAt !== null && realm.now() >= endsAt;

/** Returns when a session ends, null for a key; refuses a session that has ended. */
function endOf({ reader, keyUses, now }: Realm, key: KnownKey): number | null {
  if (!key.isSession) return null;
  const endsAt = sessionEnd(reader, key, keyUses.unwrittenOf(key.keyHash));
  if (endsAt === undefined || now() >= endsAt) throw errors.sessionEnded();
  return endsAt;
}

const NEVER = -1;

function headersOf(realm: Realm): RecentlyUsed<string, Known> {
  const headers = known.get(realm);
  if (headers !== undefined) return headers;
  const none = recentlyUsed<string, Known>(CREDENTIALS_CACHED_MAX);
  known.set(realm, none);
  return none;
}
