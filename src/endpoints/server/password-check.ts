import argon2 from 'argon2';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits.ts';

/**
 * Checked in place of an account's own hash where there is none, so that the time of an answer does not tell: it must
 * cost what those of `src/admin/passwords.ts` cost. Nobody has its password.
 */
export const NO_ACCOUNT_HASH =
  '$argon2id$v=19$m=19456,p=1,t=2$gq9zgVSxHnCxHPsol4o5RA$wjRT09cvl0+bFpEMt8Onc00F0Qdn71rxyyh+yYTLW5Y';

/** Whether this is the password of that hash; takes as long when there is no hash. */
export async function passwordMatches(hash: string | null, password: string): Promise<boolean> {
  const isPossible = hash !== null && password.length <= PASSWORD_LENGTH_MAX;
  const isRight = await argon2.verify(
    hash ?? NO_ACCOUNT_HASH,
    password.slice(0, PASSWORD_LENGTH_MAX),
  );
  return isPossible && isRight;
}
