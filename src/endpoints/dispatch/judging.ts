import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as spectators from '../../operations/access/spectators.ts';
import {
  authenticate,
  authenticateForSecondStep,
  authenticateSender,
  authenticateUrlKey,
  type Bearer,
} from '../authenticate.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Rule } from '../permissions.ts';
import type { At } from './deployment.ts';
import type { ApiRequest } from './request.ts';

/** The caller of a request that is allowed. */
export interface AllowedCaller {
  readonly realm: Realm;
  readonly user: Caller['user'];
}

/**
 * Refuses a request if the realm is closed, credentials are invalid, or the account lacks the
 * permission. With a bearer, the use of the key is noted.
 */
export function judged(
  endpoint: Restricted,
  request: Pick<ApiRequest, 'raw' | 'authorization'>,
  { realm, site }: At,
  bearer?: Bearer,
): AllowedCaller {
  if (realm?.isOpen() === false) throw realm.closedBecause();
  const user = whoAsks(endpoint, request, { realm, site }, bearer);
  if (realm === undefined) throw errors.nonexistentSubdomain();
  endpoint.allow(user);
  refuseWhenShort(realm, endpoint);
  return { realm, user };
}

/** An endpoint that asks who calls it. */
export type Restricted = Extract<Endpoint, { readonly allow: Rule }>;

/** Refuses operations that take space when less than the bound is free. */
export function refuseWhenShort({ space }: Realm, { method, needsNoSpace }: Endpoint) {
  if (!space.isShort() || needsNoSpace || method === 'GET' || method === 'DELETE') return;
  throw errors.storageFull();
}

function whoAsks(
  endpoint: Restricted,
  request: Pick<ApiRequest, 'raw' | 'authorization'>,
  { realm, site }: At,
  bearer?: Bearer,
): Caller['user'] {
  if (endpoint.byUrlKey) {
    const key = request.raw['api_key'];
    if (key === undefined) throw errors.missingParameter('api_key');
    if (realm === undefined) throw errors.nonexistentSubdomain();
    return authenticateUrlKey(realm, key, bearer);
  }
  if (endpoint.spectators && request.authorization === '' && realm !== undefined) {
    return spectators.admit(realm.reader, site.settings);
  }
  if (endpoint.addsSecondStep) return authenticateForSecondStep(realm, request.authorization, site);
  const authenticated = endpoint.forSenders ? authenticateSender : authenticate;
  return authenticated(realm, request.authorization, site, bearer);
}
