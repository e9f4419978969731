import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import { issueLoginKey, nameOf } from '../../operations/accounts/logins.ts';
import { accountOfHeader } from '../authenticate.ts';
import { endpoint, type Origin } from '../endpoint.ts';
import { text } from '../params.ts';
import { holderOf, inTurn, isRight, strangerAt } from './password-turns.ts';

export const fetchApiKey = endpoint({
  summary: 'Get an API key with a password',
  description:
    'After five wrong passwords for a name within 30 minutes an address has to wait: `RATE_LIMIT_HIT`, whatever the ' +
    'operator limits. Other addresses need not, nor does who sends a key of the account with the request.',
  method: 'POST',
  needsNoSpace: true,
  path: '/fetch_api_key',
  rate: 'logIn',
  params: { username: text.trim(), password: text },
  holdsSecret: true,
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
  visit({ params, realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    void logIn({ realm, site, from }, params).then(answer, refuse);
  },
});

interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface LogInRequest {
  readonly realm: Realm;
  readonly site: Site;
  readonly from: Origin;
}

async function logIn({ realm, site, from }: LogInRequest, { username, password }: Credentials) {
  const { user, key: account } = nameOf(realm.reader, username, site);
  const isHolder = user !== undefined && holderIn({ realm, site, from }) === user.id;
  const guesser = isHolder ? holderOf(user.id) : strangerAt(from.address(), account);
  return await inTurn(realm, guesser.key, async () => {
    if (!(await isRight(realm, { user, ...guesser }, password))) {
      throw errors.authenticationFailed();
    }
    if (user === undefined) throw errors.authenticationFailed();
    return await realm.perform((tx) => issueLoginKey(tx, user));
  });
}

/** Returns the account of the credentials, which are optional here; wrong ones are ignored. */
function holderIn({ realm, site, from }: LogInRequest): number | undefined {
  if (from.authorization === '') return undefined;
  try {
    return accountOfHeader(realm, from.authorization, site).id;
  } catch (error) {
    if (error instanceof errors.ApiError) return undefined;
    throw error;
  }
}
