import { verify } from '@node-rs/argon2';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import { inHashingTurn } from './hashing-turns.ts';

/**
 * Verified when an account has no hash, so that the time of an answer does not tell: it must cost
 * as much as the hashes of `password-hash.ts`. No account has its password.
 */
export const NO_ACCOUNT_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KyfhPMbeW0OWhM3XF3oz/Q$hshBz3zdMud+k/7mRhYAtYqwP95nzZ9D48B0ozSQipk';

interface Guess {
  readonly password: string;
  /** The origin whose turn the check takes. */
  readonly origin: string;
}

/** Verifies a password; takes as long if there is no hash. */
export async function passwordMatches(
  hash: string | null,
  { password, origin }: Guess,
): Promise<boolean> {
  const isPossible = hash !== null && password.length <= PASSWORD_LENGTH_MAX;
  const tried = password.slice(0, PASSWORD_LENGTH_MAX);
  const isRight = await inHashingTurn(origin, () => verify(hash ?? NO_ACCOUNT_HASH, tried));
  return isPossible && isRight;
}
