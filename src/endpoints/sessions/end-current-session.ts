import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { accountOfHeader, keyHashOf } from '../authenticate.ts';
import { endpoint, type Origin } from '../endpoint.ts';
import { browserOf } from './browser.ts';

export const endCurrentSession = endpoint({
  summary: 'Log this browser out',
  description:
    'The browser forgets its cookie, also that of a session which has ended before. For pages of this server.',
  method: 'DELETE',
  path: '/sessions/current',
  params: {},
  refuses: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
  visit({ realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    const browser = browserOf(from, site);
    void end(realm, site, from).then(() => {
      browser.forget();
      answer({});
    }, refuse);
  },
});

/** Ends the session of the request, if it has one that has not ended. */
async function end(realm: Realm, site: Site, { authorization }: Origin) {
  if (authorization === '') return;
  let user: Caller['user'];
  let hash: string | undefined;
  try {
    user = accountOfHeader(realm, authorization, site);
    hash = keyHashOf(realm, authorization, site);
  } catch (error) {
    if (error instanceof errors.ApiError) return;
    throw error;
  }
  await realm.perform((tx) => sessions.endCurrent(tx, user, hash), user.id);
}
