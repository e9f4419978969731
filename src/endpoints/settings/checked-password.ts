import type { Realm } from '../../../actors/realm/realm-handle.ts';

import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../../operations/access/caller.ts';
import type { NewPassword } from '../../operations/accounts/passwords.ts';
import { hashPassword } from '../server/password-hash.ts';
import { holderOf, inTurn, isRight } from '../server/password-turns.ts';

interface Given {
  readonly old_password: string | undefined;
  readonly new_password: string | undefined;
  /** Hash of the key that authenticates the request. */
  readonly keyHash: string | undefined;
}

/**
 * Returns the new password, hashed, after verifying the old one; undefined if none is requested.
 */
export async function checkedPassword(
  realm: Realm,
  user: Caller['user'],
  { old_password, new_password, keyHash }: Given,
): Promise<NewPassword | undefined> {
  if (new_password === undefined) return undefined;
  if (old_password === undefined) throw errors.missingParameter('old_password');
  const { key, origin } = holderOf(user.id);
  return await inTurn(realm, key, async () => {
    if (!(await isRight(realm, { user, key, origin }, old_password))) {
      throw errors.badRequest('Wrong password!');
    }
    return {
      hash: await hashPassword(new_password, origin),
      formerHash: user.passwordHash,
      keyHash,
    };
  });
}
