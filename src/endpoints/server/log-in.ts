import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { SECOND_STEP_CODE_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, RealmTransaction, Site } from '../../operations/access/caller.ts';
import { afterSecondStep, localHash, nameOf } from '../../operations/accounts/logins.ts';
import { accountOfHeader } from '../authenticate.ts';
import type { Origin } from '../endpoint.ts';
import { text, textUpTo } from '../params.ts';
import { byDirectory } from '../sign-in/directory-log-in.ts';
import {
  hasFailed,
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
  /** A code of the app, or a recovery code. */
  readonly second_step_code?: string | undefined;
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
  'SECOND_STEP_REQUIRED',
  'SECOND_STEP_FAILED',
  'SECOND_STEP_LOCKED',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  'PASSWORD_AUTH_DISABLED',
  'NONEXISTENT_SUBDOMAIN',
  'RATE_LIMIT_HIT',
  'DIRECTORY_AWAY',
] as const;

/** The parameters of every log-in by password. */
export const logInParams = {
  username: text.trim().describe('The email address, or the name where a directory takes names'),
  password: text,
  second_step_code: textUpTo(SECOND_STEP_CODE_LENGTH_MAX)
    .optional()
    .describe('A code of the app or a recovery code, after `SECOND_STEP_REQUIRED`'),
};

/** Says in Markdown how a log-in passes the second step. */
export const SECOND_STEP_DESCRIPTION =
  'An account with a second step is refused with `SECOND_STEP_REQUIRED` until `second_step_code` is sent along. Each code counts once. ' +
  'After three wrong ones there is a wait that doubles (`RATE_LIMIT_HIT`); after 20 since the last right one, or 1,000 within a year, ' +
  'the password lets nobody in until it is reset: `SECOND_STEP_LOCKED`.';

/**
 * Verifies a password in the turn of its guesser, then the second step in the transaction of what
 * follows.
 */
export async function logIn<Result>(
  request: LogInRequest,
  { username, password, second_step_code: code }: Password,
  follow: (tx: RealmTransaction, checked: Caller['user']) => Result,
): Promise<Result> {
  const { realm, site, from } = request;
  const { user, key: account } = nameOf(realm.reader, username, site);
  const isHolder = user !== undefined && holderIn(request) === user.id;
  const guesser = isHolder ? holderOf(user.id) : strangerAt(from.address(), account);
  return await inTurn(realm, guesser.key, async () => {
    const found = await verified(request, { user, guesser }, { username, password });
    const outcome = await realm.perform((tx) =>
      afterSecondStep(tx, { user: found, site }, { code, follow: () => follow(tx, found) }),
    );
    if ('done' in outcome) return outcome.done;
    if (outcome.isNewlyLocked) realm.noteLocked(found.id);
    throw outcome.refused;
  });
}

interface Guess {
  /** The account of this name here, if there is one. */
  readonly user: Caller['user'] | undefined;
  readonly guesser: ReturnType<typeof strangerAt>;
}

/** Returns whose password it is, by the directories and by this server, or refuses. */
async function verified(
  { realm, site, from }: LogInRequest,
  { user, guesser }: Guess,
  given: { readonly username: string; readonly password: string },
): Promise<Caller['user']> {
  const keys = [guesser.key];
  // While a directory is away guesses on all names are alike: counted apart, and never told.
  const isHeldBack = () => keys.some((key) => hasFailed(realm, whileAway(key)));
  const found = await byDirectory({ realm, site }, given, {
    beforeGuess(subject) {
      // A directory reads many spellings as one name, so that guesses count for the person too.
      const { key } = strangerAt(from.address(), subject);
      refuseFailed(realm, key);
      keys.push(key);
    },
    isHeldBack,
  });
  if ('user' in found || found.is === 'wrong') {
    for (const key of keys) noteGuess(realm, key, 'user' in found);
    if ('user' in found) return found.user;
    // The same work as for a name that no directory has, so that the time tells nobody of it.
    await isRight(realm, { user: undefined, ...guesser, isCounted: false }, given.password);
    throw errors.authenticationFailed();
  }
  const isAway = found.is === 'away';
  if (isAway && isHeldBack()) throw found.refusal;
  const local = localHash(realm.reader, user, site) === null ? undefined : user;
  const guess = { user: local, ...guesser, isCounted: !isAway };
  if ((await isRight(realm, guess, given.password)) && user !== undefined) return user;
  if (!isAway) throw errors.authenticationFailed();
  for (const key of keys) noteGuess(realm, whileAway(key), false);
  throw found.refusal;
}

/** The key of guesses while a directory is away. */
const whileAway = (key: string) => `${key} away`;

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
