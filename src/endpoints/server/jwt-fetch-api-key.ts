import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import * as objects from '../../domain/wire/objects.ts';
import { byEmail } from '../../operations/access/accounts.ts';
import * as realms from '../../operations/access/realms.ts';
import { issueLoginKey } from '../../operations/accounts/logins.ts';
import { userObject } from '../../operations/users/users.ts';
import { endpoint, type Visit } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { addressIn } from '../sign-in/token.ts';

const params = { token: text.optional(), include_profile: boolean.default(false) };

export const jwtFetchApiKey = endpoint({
  summary: 'Get an API key with a token of another service of the operator',
  description:
    'The token is a JWT (RFC 7519) with `email`, which names an account of the organization, and `exp`. The operator says by ' +
    'which key and algorithm it is signed; without that the endpoint refuses all.',
  method: 'POST',
  needsNoSpace: true,
  path: '/jwt/fetch_api_key',
  rate: 'logIn',
  params,
  holdsSecret: true,
  reply: {
    api_key: z.string(),
    email: z.string(),
    user_id: z.int(),
    user: objects.user.optional().describe('With `include_profile`'),
  },
  refuses: [
    'BAD_REQUEST',
    'AUTHENTICATION_FAILED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'NONEXISTENT_SUBDOMAIN',
  ],
  visit(visit) {
    void keyFor(visit).then(visit.answer, visit.refuse);
  },
});

async function keyFor({ params: given, realm, site }: Visit<typeof params>) {
  if (realm === undefined) throw errors.nonexistentSubdomain();
  realms.refuseDeactivated(realm.reader);
  const email = await addressIn(realm.reader, site, given.token);
  return await realm.perform((tx) => {
    const user = byEmail(tx, email, site);
    if (user === undefined || user.isSystem || user.botType !== null) {
      throw errors.authenticationFailed();
    }
    const key = issueLoginKey(tx, user);
    if (!given.include_profile) return key;
    return { ...key, user: userObject(user, { viewer: user, site, clientGravatar: false }) };
  });
}
