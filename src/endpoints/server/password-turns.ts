import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import {
  LOGIN_FAILURES_MAX,
  LOGIN_FAILURES_MS,
  LOGIN_NAMES_MAX,
  LOGINS_WAITING_MAX,
} from '../../domain/limits.ts';
import type { LoginName } from '../../operations/logins.ts';
import { openLoginFailures } from './login-failures.ts';
import { passwordMatches } from './password-check.ts';

/** Whether it is the password of this account, if there is one. Wrong ones are counted, and too many are refused. */
export async function isRight(
  realm: Realm,
  { user, key }: LoginName,
  password: string,
): Promise<boolean> {
  const { failures } = loginsOf(realm);
  const waitMs = failures.waitMs(key, Date.now());
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
  const isMatch = await passwordMatches(user?.passwordHash ?? null, password);
  if (isMatch) failures.forget(key);
  else failures.note(key, Date.now());
  return isMatch;
}

/** One check after the other for a name: guesses sent at once are counted like guesses sent one by one. */
export async function inTurn<Result>(
  realm: Realm,
  { key }: LoginName,
  work: () => Promise<Result>,
): Promise<Result> {
  const logins = loginsOf(realm);
  if (logins.waiting >= LOGINS_WAITING_MAX) throw errors.rateLimitHit(BUSY_RETRY_SECONDS);
  logins.waiting += 1;
  const before = logins.turns.get(key) ?? Promise.resolve();
  const result = before.then(work);
  // The next in turn waits for the end of this one, whichever way it ends.
  const turn = result.then(noop, noop);
  logins.turns.set(key, turn);
  try {
    return await result;
  } finally {
    logins.waiting -= 1;
    if (logins.turns.get(key) === turn) logins.turns.delete(key);
  }
}

interface Logins {
  readonly failures: ReturnType<typeof openLoginFailures>;
  readonly turns: Map<string, Promise<unknown>>;
  waiting: number;
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
  const logins: Logins = { failures, turns: new Map(), waiting: 0 };
  byRealm.set(realm, logins);
  return logins;
}

/** As many checks as may wait are done in about this time. */
const BUSY_RETRY_SECONDS = 2;

const noop = () => undefined;
