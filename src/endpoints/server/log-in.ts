import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { nameOf } from '../../operations/accounts/logins.ts';
import { accountOfHeader } from '../authenticate.ts';
import type { Origin } from '../endpoint.ts';
import { holderOf, inTurn, isRight, strangerAt } from './password-turns.ts';

export interface Password {
  readonly username: string;
  readonly password: string;
}

export interface LogInRequest {
  readonly realm: Realm;
  readonly site: Site;
  readonly from: Origin;
}

/** Refuses with one of these, whatever follows from the log-in. */
export const LOG_IN_REFUSALS = [
  'REQUEST_VARIABLE_MISSING',
  'BAD_REQUEST',
  'AUTHENTICATION_FAILED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  'PASSWORD_AUTH_DISABLED',
  'NONEXISTENT_SUBDOMAIN',
  'RATE_LIMIT_HIT',
] as const;

/** Verifies a password in the turn of its guesser, and does what follows if it is right. */
export async function logIn<Result>(
  { realm, site, from }: LogInRequest,
  { username, password }: Password,
  follow: (checked: Caller['user']) => Promise<Result>,
): Promise<Result> {
  const { user, key: account } = nameOf(realm.reader, username, site);
  const isHolder = user !== undefined && holderIn({ realm, site, from }) === user.id;
  const guesser = isHolder ? holderOf(user.id) : strangerAt(from.address(), account);
  return await inTurn(realm, guesser.key, async () => {
    if (!(await isRight(realm, { user, ...guesser }, password))) {
      throw errors.authenticationFailed();
    }
    if (user === undefined) throw errors.authenticationFailed();
    return await follow(user);
  });
}

/** Returns the account of the credentials, which are optional here; wrong ones are ignored. */
function holderIn({ realm, site, from }: LogInRequest): number | undefined {
  if (from.authorization === '') return undefined;
  try {
    return accountOfHeader(realm, from.authorization, site).id;
  } catch (error) {
    if (error instanceof errors.ApiError) return undefined;
    throw error;
  }
}
