import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { localHash, nameOf } from '../../operations/accounts/logins.ts';
import { accountOfHeader } from '../authenticate.ts';
import type { Origin } from '../endpoint.ts';
import { byDirectory } from '../sign-in/directory-log-in.ts';
import {
  holderOf,
  inTurn,
  isRight,
  noteGuess,
  refuseFailed,
  strangerAt,
} from './password-turns.ts';

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
    const found = await byDirectory({ realm, site }, { username, password }, (subject) => {
      // A directory reads many spellings as one name, so that guesses count for the person too.
      const { key } = strangerAt(from.address(), subject);
      refuseFailed(realm, key);
      return (isMatch) => {
        for (const each of [key, guesser.key]) noteGuess(realm, each, isMatch);
      };
    });
    if ('user' in found) return await follow(found.user);
    if (found.is === 'wrong') throw errors.authenticationFailed();
    const hash = localHash(realm.reader, user, site);
    const local = hash === null ? undefined : user;
    const isCounted = found.is === 'absent' || local !== undefined;
    const isMatch = await isRight(realm, { user: local, ...guesser, isCounted }, password);
    if (isMatch && user !== undefined) return await follow(user);
    throw found.is === 'away' ? found.refusal : errors.authenticationFailed();
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
