import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as joining from '../../operations/accounts/joining.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { accountManagers } from '../permissions.ts';
import { hashPassword } from '../server/password-hash.ts';
import { holderOf, inTurn } from '../server/password-turns.ts';

export const createUser = endpoint({
  summary: 'Make an account for somebody, as a member in the default channels',
  description: 'While too many passwords are being looked at, one has to wait: `RATE_LIMIT_HIT`.',
  method: 'POST',
  path: '/users',
  allow: accountManagers,
  params: { email: text, password: text, full_name: text },
  reply: { user_id: z.int() },
  refuses: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING', 'RATE_LIMIT_HIT'],
  emits: ['realm_user', 'user_status', 'user_group', 'stream', 'subscription', 'message'],
  exchange({ user, site, params }, { realm, answer, refuse }) {
    const { email, password, full_name: fullName } = params;
    enroll(realm, { user, site }, { email, password, fullName }).then(answer, refuse);
  },
});

/**
 * Enrolls a user. All checks run before the password is hashed, which takes long, and again when
 * the account is made.
 */
async function enroll(
  realm: Realm,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  { password, ...joiner }: joining.Joiner & { password: string },
) {
  joining.refuseJoiner(realm.reader, site, joiner);
  const { key, origin } = holderOf(user.id);
  return await inTurn(realm, key, async () => {
    const passwordHash = await hashPassword(password, origin);
    return await realm.perform((tx) => {
      const by = accountOfUser(tx, user.id);
      if (!isAdministrator(by.role)) throw errors.badRequest('Insufficient permission');
      return { user_id: joining.enroll(tx, site, { ...joiner, passwordHash }).id };
    }, user.id);
  });
}
