import { verify } from '@node-rs/argon2';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits.ts';
import { inHashingTurn } from './hashing-turns.ts';

/**
 * Checked in place of an account's own hash where there is none, so that the time of an answer does not tell: it must
 * cost what those of `password-hash.ts` cost. Nobody has its password.
 */
export const NO_ACCOUNT_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KyfhPMbeW0OWhM3XF3oz/Q$hshBz3zdMud+k/7mRhYAtYqwP95nzZ9D48B0ozSQipk';

interface Guess {
  readonly password: string;
  /** Whose turn it takes to check it. */
  readonly origin: string;
}

/** Whether this is the password of that hash; takes as long when there is no hash. */
export async function passwordMatches(
  hash: string | null,
  { password, origin }: Guess,
): Promise<boolean> {
  const isPossible = hash !== null && password.length <= PASSWORD_LENGTH_MAX;
  const tried = password.slice(0, PASSWORD_LENGTH_MAX);
  const isRight = await inHashingTurn(origin, () => verify(hash ?? NO_ACCOUNT_HASH, tried));
  return isPossible && isRight;
}
