import type { UserRow } from '../../../storage/tables/people/users.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import { byEmail, hashOfKey } from './accounts.ts';
import type { Site } from './caller.ts';
import type { Reads } from './groups.ts';

/**
 * Credentials that were valid once. The key may have been revoked since, so it is looked up by its
 * hash again.
 */
export interface KnownKey {
  readonly userId: number;
  readonly keyHash: string;
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
export function accountOf(reads: Reads, { userId, keyHash }: KnownKey): UserRow {
  if (!reads.apiKeys.has([userId, keyHash])) throw errors.unauthorized('Invalid API key');
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
