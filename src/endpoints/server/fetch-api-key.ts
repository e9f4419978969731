import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import {
  LOGIN_FAILURES_MAX,
  LOGIN_FAILURES_MS,
  LOGIN_NAMES_MAX,
  LOGINS_WAITING_MAX,
} from '../../domain/limits.ts';
import type { Place } from '../../operations/caller.ts';
import { issueLoginKey, type LoginName, nameOf } from '../../operations/logins.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { openLoginFailures } from './login-failures.ts';
import { passwordMatches } from './password-check.ts';

export const fetchApiKey = endpoint({
  summary: 'Get an API key with a password',
  method: 'POST',
  path: '/fetch_api_key',
  params: { username: text.trim(), password: text },
  reply: { api_key: z.string(), email: z.string(), user_id: z.int() },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'BAD_REQUEST',
    'AUTHENTICATION_FAILED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'PASSWORD_AUTH_DISABLED',
    'NONEXISTENT_SUBDOMAIN',
    'RATE_LIMIT_HIT',
  ],
  visit({ params, realm, place, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    void logIn(realm, place, params).then(answer, refuse);
  },
});

interface Credentials {
  readonly username: string;
  readonly password: string;
}

async function logIn(realm: Realm, place: Place, { username, password }: Credentials) {
  const name = nameOf(realm.reader, username, place);
  return await inTurn(realm, name.key, async () => {
    await checkPassword(realm, name, password);
    const { user } = name;
    if (user === undefined) throw errors.authenticationFailed();
    return await realm.perform((tx) => issueLoginKey(tx, user));
  });
}

async function checkPassword(realm: Realm, { user, key }: LoginName, password: string) {
  const { failures } = loginsOf(realm);
  const waitMs = failures.waitMs(key, Date.now());
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
  if (await passwordMatches(user?.passwordHash ?? null, password)) return failures.forget(key);
  failures.note(key, Date.now());
  throw errors.authenticationFailed();
}

/** One check after the other for a name: guesses sent at once are counted like guesses sent one by one. */
async function inTurn<Result>(realm: Realm, key: string, work: () => Promise<Result>) {
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
