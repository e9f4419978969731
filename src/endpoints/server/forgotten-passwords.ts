import { setTimeout as pause } from 'node:timers/promises';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  EMAIL_LENGTH_MAX,
  PASSWORD_RESET_ADDRESSES_MAX,
  PASSWORD_RESETS_MAX,
  PASSWORD_RESETS_MS,
} from '../../domain/limits/accounts.ts';
import { looksLikeEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import { realmSetting } from '../../operations/access/groups.ts';
import * as realms from '../../operations/access/realms.ts';
import { mailForgotten } from '../../operations/accounts/passwords.ts';
import { hasMailService } from '../../settings/services.ts';
import { openLoginFailures } from './login-failures.ts';

interface Forgotten {
  readonly realm: Realm;
  readonly site: Site;
  /** The client's address, in the form that limits count. */
  readonly address: string;
  readonly username: string;
}

/**
 * Mails a link for a new password to the address of an account, if there is one. The answer, and
 * how long it takes, are the same without one.
 */
export async function mailPasswordLink({ realm, site, address, username }: Forgotten) {
  refuseWithoutLinks(realm, site);
  if (!looksLikeEmail(username) || username.length > EMAIL_LENGTH_MAX) {
    throw errors.badRequest('Enter a valid email address.');
  }
  const asked = askedIn(realm);
  const waitMs = asked.waitMs(address, realm.now());
  if (waitMs > 0) throw errors.rateLimitHit(Math.ceil(waitMs / 1000));
  asked.note(address, realm.now());
  const mailed = realm.perform((tx) => mailForgotten(tx, { username, site }));
  await Promise.all([mailed, pause(ANSWER_MS)]);
}

/** A commit takes less than this, so that an answer does not tell whether there was one. */
const ANSWER_MS = 200;

/** Refuses where no links are mailed, whatever the account. */
export function refuseWithoutLinks(realm: Realm, { settings }: Site) {
  realms.refuseDeactivated(realm.reader);
  if (!hasPasswords(realm)) throw errors.passwordAuthDisabled();
  if (!hasMailService(settings)) throw errors.noMailHere();
}

export const mailsLinks = (realm: Realm, { settings }: Site): boolean =>
  hasPasswords(realm) && hasMailService(settings);

const hasPasswords = ({ reader }: Realm) =>
  realmSetting(reader, 'authentication_methods').Email === true;

type Asked = ReturnType<typeof openLoginFailures>;

/** Kept only in memory, as wrong passwords are; the store bounds the links of each account. */
const byRealm = new WeakMap<Realm, Asked>();

function askedIn(realm: Realm): Asked {
  const known = byRealm.get(realm);
  if (known !== undefined) return known;
  const asked = openLoginFailures({
    max: PASSWORD_RESETS_MAX,
    windowMs: PASSWORD_RESETS_MS,
    namesMax: PASSWORD_RESET_ADDRESSES_MAX,
  });
  byRealm.set(realm, asked);
  return asked;
}
