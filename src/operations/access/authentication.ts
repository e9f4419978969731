import type { KeyUseRow } from '../../../storage/tables/people/keys.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { SESSION_IDLE_MS, SESSION_LIFE_MS } from '../../domain/limits/credentials.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import { byEmail, hashOfKey } from './accounts.ts';
import type { Site } from './caller.ts';
import type { Reads } from './groups.ts';
import * as realms from './realms.ts';

/**
 * Credentials that were valid once. The key may have been revoked since, so it is looked up by its
 * hash again.
 */
export interface KnownKey {
  readonly userId: number;
  /** Hash of the key, or of the secret of the session. */
  readonly keyHash: string;
  readonly isSession?: true;
}

/**
 * Begins the credentials of a session: credentials are one text, an `Authorization` header as it
 * came, or this and the value of a cookie. No header has a line break, so no client can send it.
 */
const SESSION = '\nsession ';

/** Returns the credentials of a request with a session cookie that counts. */
export const sessionCredentials = (cookie: string): string => `${SESSION}${cookie}`;

export const isOfSession = (credentials: string): boolean => credentials.startsWith(SESSION);

/** Returns the value of the cookie that authenticates `userId`, for a new secret. */
export const sessionCookie = (userId: number, secret: string): string => `${userId}x${secret}`;

/** Returns the key or the session of credentials; refuses those that were never valid. */
export const checkCredentials = (reads: Reads, credentials: string, site: Site): KnownKey =>
  isOfSession(credentials)
    ? knownSession(credentials.slice(SESSION.length))
    : checkBasic(reads, credentials, site);

function knownSession(cookie: string): KnownKey {
  const [, id, secret] = /^(\d{1,15})x([0-9a-f]{64})$/.exec(cookie) ?? [];
  if (id === undefined || secret === undefined) throw errors.sessionEnded();
  return { userId: Number(id), keyHash: hashOfKey(secret), isSession: true };
}

/** Returns when a session ends (UNIX ms) if it is not used again; undefined if there is none. */
export function sessionEnd(
  reads: Reads,
  { userId, keyHash }: KnownKey,
  recentUse: KeyUseRow | undefined,
): number | undefined {
  const session = reads.sessions.get([userId, keyHash]);
  if (session === undefined) return undefined;
  const { usedAt = 0 } = recentUse ?? reads.keyUses.get([userId, keyHash]) ?? {};
  const lastUse = Math.max(session.createdAt, usedAt * 1000);
  return Math.min(lastUse + SESSION_IDLE_MS, session.createdAt + SESSION_LIFE_MS);
}

/**
 * Returns the key of an `Authorization: Basic` header (reference/endpoints.md section 3). Every
 * failure inside Basic is `UNAUTHORIZED`; another scheme is a `BAD_REQUEST`.
 */
export function checkBasic(reads: Reads, header: string, site: Site): KnownKey {
  const [scheme = '', encoded = ''] = header.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() !== 'basic') {
    throw errors.badRequest('This endpoint requires HTTP basic authentication.');
  }
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw errors.unauthorized('Invalid authorization header for basic auth');
  return checkKey(reads, {
    email: decoded.slice(0, colon).trim(),
    key: decoded.slice(colon + 1).trim(),
    site,
  });
}

function checkKey(
  reads: Reads,
  { email, key, site }: { email: string; key: string; site: Site },
): KnownKey {
  const user = byEmail(reads, email, site);
  const keyHash = hashOfKey(key);
  // The time of the lookup can leak a hash at most, which is useless without the key.
  if (user === undefined || !reads.apiKeys.has([user.id, keyHash])) {
    throw errors.unauthorized('Invalid API key');
  }
  return { userId: user.id, keyHash };
}

export const accountOfUrlKey = (reads: Reads, key: string): UserRow => knownUrlKey(reads, key).user;

/**
 * Returns the account of a key in a URL that another service was given; each failure has a code of
 * its own.
 */
export function knownUrlKey(
  reads: Reads,
  key: string,
): { readonly user: UserRow; readonly keyHash: string } {
  const keyHash = hashOfKey(key);
  const userId = reads.keyOwners.get([keyHash])?.userId;
  const user = userId === undefined ? undefined : reads.users.get([userId]);
  if (user === undefined || !reads.apiKeys.has([user.id, keyHash])) throw errors.invalidApiKey();
  if (!user.isActive) throw errors.userDeactivated();
  if (reads.realm.get(['realm'])?.isActive === false) throw errors.realmDeactivated();
  return { user, keyHash };
}

/**
 * Refuses an "incoming-webhook bot on anything but POST /messages" (reference/endpoints.md section
 * 3).
 */
export function refuseIncomingWebhook({ botType }: Pick<UserRow, 'botType'>) {
  if (botType !== BotType.incomingWebhook) return;
  throw errors.unauthorized('This API is not available to incoming webhook bots.');
}

/**
 * Returns the account of a key as it is now; refuses a revoked key, and an inactive account or
 * realm.
 */
export function accountOf(reads: Reads, { userId, keyHash, isSession }: KnownKey): UserRow {
  if (isSession) return accountOfSession(reads, userId, keyHash);
  if (!reads.apiKeys.has([userId, keyHash])) throw errors.unauthorized('Invalid API key');
  return accountOfUser(reads, userId);
}

function accountOfSession(reads: Reads, userId: number, secretHash: string): UserRow {
  const isThere = reads.sessions.has([userId, secretHash]);
  // A deactivation ends sessions, and its reason is more use to the client than that.
  if (!isThere && realms.isActive(reads)) throw errors.sessionEnded();
  return accountOfUser(reads, userId);
}

export function accountOfUser(reads: Reads, userId: number): UserRow {
  const user = reads.users.get([userId]);
  if (user === undefined) throw errors.unauthorized('Invalid API key');
  if (!user.isActive) throw errors.unauthorized('Account is deactivated');
  if (reads.realm.get(['realm'])?.isActive === false) {
    throw errors.unauthorized('This organization has been deactivated');
  }
  return user;
}
