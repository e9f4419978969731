import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Site } from '../../operations/access/caller.ts';
import { SIGN_IN_PATH } from '../../operations/access/sign-in.ts';
import { logOutOf } from '../../operations/accounts/provider-sessions.ts';
import type { OwnSession } from '../../operations/accounts/sessions.ts';
import { challenge } from '../../operations/second-steps/passkeys.ts';
import { entryCalled } from './entries.ts';

/** The end of the path of the page to which a provider leads back. */
export const LOGGED_OUT = 'logged-out';

/** The state of a log-out is signed for this, and good for some minutes. */
export const purposeOf = (provider: string) => `log out of ${provider}`;

/**
 * Returns the address at which the person of a session logs out at the provider by which they came
 * (OpenID Connect RP-Initiated Logout 1.0, section 2). Undefined if the operator does not want it,
 * if the provider cannot do it, or if the session came in another way. It is read from the store
 * alone, so that a provider that is silent holds up no log-out.
 */
export function logOutUrl(realm: Realm, site: Site, session: OwnSession): string | undefined {
  const there = logOutOf(realm.reader, [session.userId, session.hash]);
  if (there === undefined || there.endSessionUrl === null) return undefined;
  const entry = entryCalled(realm.reader, site, { type: 'openid', name: there.entry });
  if (entry?.logs_out !== true) return undefined;
  const url = new URL(there.endSessionUrl);
  const state = challenge(realm.reader, purposeOf(entry.name), realm.now());
  const fields = {
    ...(there.idToken === null ? {} : { id_token_hint: there.idToken }),
    client_id: entry.client_id,
    post_logout_redirect_uri: `${site.url}${SIGN_IN_PATH}${entry.name}/${LOGGED_OUT}`,
    state: state.toString('base64url'),
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}
