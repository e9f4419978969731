import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  HASHES_WAITING_PER_ORIGIN_MAX,
  LOGIN_FAILURES_MAX,
  LOGIN_FAILURES_MS,
  LOGIN_NAMES_MAX,
} from '../../domain/limits.ts';
import * as errors from '../../domain/wire/errors.ts';
import { openLoginFailures } from './login-failures.ts';
import { passwordMatches } from './password-check.ts';

/** Who tries a password. */
export interface Guesser {
  /** The account that it is tried on, if there is one. */
  readonly user: { readonly passwordHash: string | null } | undefined;
  /**
   * The account and where the guess comes from: what is counted together. What strangers guess elsewhere makes nobody wait
   * who knows the password.
   */
  readonly key: string;
  /** Whose turn it takes to check it. */
  readonly origin: string;
}

/** A guess from an address, on the account of this key. */
export const strangerAt = (address: string, account: string) => ({
  key: `${account} ${address}`,
  origin: address,
});

/** A guess of somebody who has a key of the account: they wait for their own guesses, and for nobody else's. */
export const holderOf = (userId: number) => ({ key: `${userId} key`, origin: `user ${userId}` });

/** Whether it is the password of this account, if there is one. Wrong ones are counted, and too many are refused. */
export async function isRight(
  realm: Realm,
  { user, key, origin }: Guesser,
  password: string,
): Promise<boolean> {
  refuseFailed(realm, key);
  const { failures } = loginsOf(realm);
  const isMatch = await passwordMatches(user?.passwordHash ?? null, { password, origin });
  if (isMatch) failures.forget(key);
  else failures.note(key, realm.now());
  return isMatch;
}

/** Before anything is waited for: what is refused anyway costs no hash and takes nobody's turn. */
function refuseFailed(realm: Realm, key: string) {
  const waitMs = loginsOf(realm).failures.waitMs(key, realm.now());
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
}

/** One check after the other for who guesses: guesses sent at once are counted like guesses sent one by one. */
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
  // The next in turn waits for the end of this one, whichever way it ends.
  turn.end = result.then(noop, noop);
  try {
    return await result;
  } finally {
    turn.waiting -= 1;
    if (turn.waiting === 0) turns.delete(key);
  }
}

/** As many as may wait are checked in less than this. */
const BUSY_RETRY_SECONDS = 2;

interface Turn {
  waiting: number;
  end: Promise<unknown>;
}

interface Logins {
  readonly failures: ReturnType<typeof openLoginFailures>;
  readonly turns: Map<string, Turn>;
}

/** Kept in memory alone: a restart forgives, and a wrong password costs the disk nothing. */
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
