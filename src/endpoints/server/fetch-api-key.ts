import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import type { Place } from '../../operations/caller.ts';
import { issueLoginKey, nameOf } from '../../operations/logins.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { inTurn, isRight } from './password-turns.ts';

export const fetchApiKey = endpoint({
  summary: 'Get an API key with a password',
  description:
    'After five wrong passwords within 30 minutes a name has to wait: `RATE_LIMIT_HIT`, whatever the operator limits.',
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
  return await inTurn(realm, name, async () => {
    if (!(await isRight(realm, name, password))) throw errors.authenticationFailed();
    const { user } = name;
    if (user === undefined) throw errors.authenticationFailed();
    return await realm.perform((tx) => issueLoginKey(tx, user));
  });
}
