import * as errors from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { mailPasswordLink } from '../server/forgotten-passwords.ts';

export const resetPassword = endpoint({
  summary: 'Get a link for a new password by mail',
  description: [
    'The answer is the same whether or not there is such an account. The link works once, and for a day; setting the password by it ends',
    'all sessions and API keys of the account. An account that has five links which were not used gets no other. The same is at',
    '`/accounts/password/reset/`, as a page without scripts.',
  ].join(' '),
  method: 'POST',
  path: '/password_reset',
  rate: 'logIn',
  params: { username: text.trim().describe('The email address') },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'BAD_REQUEST',
    'REALM_DEACTIVATED',
    'PASSWORD_AUTH_DISABLED',
    'NONEXISTENT_SUBDOMAIN',
    'RATE_LIMIT_HIT',
  ],
  visit({ params, realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    void mailPasswordLink({ realm, site, address: from.address(), ...params }).then(
      () => answer({}),
      refuse,
    );
  },
});
