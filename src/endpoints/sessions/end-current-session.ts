import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { endpoint } from '../endpoint.ts';
import { logOutUrl } from '../sign-in/log-out-there.ts';
import { browserOf, sessionOf } from './browser.ts';

export const endCurrentSession = endpoint({
  summary: 'Log this browser out',
  description: [
    'The browser forgets its cookie, also that of a session which has ended before. For pages of this server. If a provider of OpenID',
    'Connect has vouched for the person, and the operator wants it, there is an address to go to next.',
  ].join(' '),
  method: 'DELETE',
  path: '/sessions/current',
  params: {},
  reply: {
    logout_url: z
      .string()
      .optional()
      .describe('Leads the browser to the provider, where the person logs out, and back'),
  },
  refuses: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
  visit({ realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    const browser = browserOf(from, site);
    const session = sessionOf(realm, site, from);
    const done = (logoutUrl?: string) => {
      browser.forget();
      answer(logoutUrl === undefined ? {} : { logout_url: logoutUrl });
    };
    if (session === undefined) return done();
    const logoutUrl = logOutUrl(realm, site, session);
    const end = () => realm.perform((tx) => sessions.endCurrent(tx, session), session.userId);
    void end().then(() => done(logoutUrl), refuse);
  },
});
