import { verify } from '@node-rs/argon2';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits.ts';

/**
 * Checked in place of an account's own hash where there is none, so that the time of an answer does not tell: it must
 * cost what those of `password-hash.ts` cost. Nobody has its password.
 */
export const NO_ACCOUNT_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KyfhPMbeW0OWhM3XF3oz/Q$hshBz3zdMud+k/7mRhYAtYqwP95nzZ9D48B0ozSQipk';

/** Whether this is the password of that hash; takes as long when there is no hash. */
export async function passwordMatches(hash: string | null, password: string): Promise<boolean> {
  const isPossible = hash !== null && password.length <= PASSWORD_LENGTH_MAX;
  const isRight = await verify(hash ?? NO_ACCOUNT_HASH, password.slice(0, PASSWORD_LENGTH_MAX));
  return isPossible && isRight;
}
