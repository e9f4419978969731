import * as errors from '../../domain/wire/errors.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { endpoint } from '../endpoint.ts';
import { browserOf, sessionOf } from './browser.ts';

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
    const session = sessionOf(realm, site, from);
    const done = () => {
      browser.forget();
      answer({});
    };
    if (session === undefined) return done();
    void realm.perform((tx) => sessions.endCurrent(tx, session), session.userId).then(done, refuse);
  },
});
