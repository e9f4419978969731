import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { LOG_IN_REFUSALS, logIn } from '../server/log-in.ts';
import { begin, browserOf } from './browser.ts';

export const createSession = endpoint({
  summary: 'Log a browser in with a password',
  description: [
    'The answer sets a cookie that no script can read; the browser sends it with every request, and is logged in for as long as it',
    'uses the session once in 30 days, for a year at most. Only pages of this server may log in, and the cookie counts only in',
    'requests that they send. Programs use an API key instead (`POST /fetch_api_key`), with the same limits of wrong passwords.',
  ].join(' '),
  method: 'POST',
  needsNoSpace: true,
  path: '/sessions',
  rate: 'logIn',
  params: { username: text.trim().describe('The email address'), password: text },
  reply: { email: z.string(), user_id: z.int() },
  refuses: LOG_IN_REFUSALS,
  visit({ params, realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    const browser = browserOf(from, site);
    void logIn({ realm, site, from }, params, (user) =>
      begin({ realm, site, user, from, browser, method: 'password' }),
    ).then(answer, refuse);
  },
});
