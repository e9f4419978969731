import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import { issueLoginKey } from '../../operations/accounts/logins.ts';
import { endpoint } from '../endpoint.ts';
import { LOG_IN_REFUSALS, logIn, logInParams, SECOND_STEP_DESCRIPTION } from './log-in.ts';

export const fetchApiKey = endpoint({
  summary: 'Get an API key with a password',
  description:
    'After five wrong passwords for a name within 30 minutes an address has to wait: `RATE_LIMIT_HIT`, whatever the ' +
    'operator limits. Other addresses need not, nor does who sends a key of the account with the request.\n\n' +
    SECOND_STEP_DESCRIPTION,
  method: 'POST',
  needsNoSpace: true,
  path: '/fetch_api_key',
  rate: 'logIn',
  params: logInParams,
  holdsSecret: true,
  reply: { api_key: z.string(), email: z.string(), user_id: z.int() },
  refuses: LOG_IN_REFUSALS,
  visit({ params, realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    void logIn({ realm, site, from }, params, issueLoginKey).then(answer, refuse);
  },
});
