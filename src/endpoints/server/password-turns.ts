import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  HASHES_WAITING_PER_ORIGIN_MAX,
  LOGIN_FAILURES_MAX,
  LOGIN_FAILURES_MS,
  LOGIN_NAMES_MAX,
} from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import { openLoginFailures } from './login-failures.ts';
import { passwordMatches } from './password-check.ts';

/** The client that tries a password. */
export interface Guesser {
  /** The account that it is tried on, if there is one. */
  readonly user: { readonly passwordHash: string | null } | undefined;
  /**
   * The account and the origin of the guess, which are counted together: guesses of strangers
   * elsewhere must not delay the owner.
   */
  readonly key: string;
  /** The origin whose turn the check takes. */
  readonly origin: string;
  /** False if a wrong password does not count here, as a directory was asked about it. */
  readonly isCounted?: boolean;
}

/** Returns the key and origin of a guess from an address, on the account of this key. */
export const strangerAt = (address: string, account: string) => ({
  key: `${account} ${address}`,
  origin: address,
});

/**
 * Returns the key and origin of a guess by the holder of a key of the account, who waits only for
 * their own guesses.
 */
export const holderOf = (userId: number) => ({ key: `${userId} key`, origin: `user ${userId}` });

/**
 * Verifies the password of this account, if there is one. Wrong ones are counted, and too many are
 * refused.
 */
export async function isRight(
  realm: Realm,
  { user, key, origin, isCounted = true }: Guesser,
  password: string,
): Promise<boolean> {
  refuseFailed(realm, key);
  const isMatch = await passwordMatches(user?.passwordHash ?? null, { password, origin });
  if (isMatch || isCounted) noteGuess(realm, key, isMatch);
  return isMatch;
}

/** Counts a wrong password; a right one forgets those before. */
export function noteGuess(realm: Realm, key: string, isMatch: boolean) {
  const { failures } = loginsOf(realm);
  if (isMatch) failures.forget(key);
  else failures.note(key, realm.now());
}

/** Refuses before anything is awaited: a refusal takes no hash and no turn. */
export function refuseFailed(realm: Realm, key: string) {
  const waitMs = loginsOf(realm).failures.waitMs(key, realm.now());
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
}

/** True if this guesser has guessed too often. */
export const hasFailed = (realm: Realm, key: string) =>
  loginsOf(realm).failures.waitMs(key, realm.now()) > 0;

/**
 * Runs the checks of one guesser one after the other: guesses sent at once are counted like guesses
 * sent one by one.
 */
export async function inTurn<Result>(
  realm: Realm,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  refuseFailed(realm, key);
  const { turns } = loginsOf(realm);
  const last = turns.get(key);
  if (last !== undefined && last.waiting >= HASHES_WAITING_PER_ORIGIN_MAX) {
    throw errors.rateLimitHit(BUSY_RETRY_SECONDS);
  }
  const turn = last ?? { waiting: 0, end: Promise.resolve() };
  turns.set(key, turn);
  turn.waiting += 1;
  const result = turn.end.then(work);
  // The next one waits for the end of this one, also of a failed one.
  turn.end = result.then(noop, noop);
  try {
    return await result;
  } finally {
    turn.waiting -= 1;
    if (turn.waiting === 0) turns.delete(key);
  }
}

/** The checks that may wait take less than this. */
const BUSY_RETRY_SECONDS = 2;

interface Turn {
  waiting: number;
  end: Promise<unknown>;
}

interface Logins {
  readonly failures: ReturnType<typeof openLoginFailures>;
  readonly turns: Map<string, Turn>;
}

/** Kept only in memory: a restart forgives, and a wrong password costs no write. */
const byRealm = new WeakMap<Realm, Logins>();

function loginsOf(realm: Realm): Logins {
  const known = byRealm.get(realm);
  if (known !== undefined) return known;
  const failures = openLoginFailures({
    max: LOGIN_FAILURES_MAX,
    windowMs: LOGIN_FAILURES_MS,
    namesMax: LOGIN_NAMES_MAX,
  });
  const logins: Logins = { failures, turns: new Map() };
  byRealm.set(realm, logins);
  return logins;
}

const noop = () => undefined;
