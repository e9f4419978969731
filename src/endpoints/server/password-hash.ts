import { hash } from '@node-rs/argon2';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isCommonPassword } from './common-passwords.ts';
import { inHashingTurn } from './hashing-turns.ts';

/**
 * Hashes a new password of any origin: argon2id in PHC form. It takes tens of milliseconds and 19
 * MiB, off the event loop (OWASP's first recommendation), in the turn of its origin.
 */
export async function hashPassword(password: string, origin = ''): Promise<string> {
  if (password.length < PASSWORD_LENGTH_MIN || password.length > PASSWORD_LENGTH_MAX) {
    throw errors.badRequest(
      `A password has between ${PASSWORD_LENGTH_MIN} and ${PASSWORD_LENGTH_MAX} characters`,
    );
  }
  if (await isCommonPassword(password)) throw errors.passwordTooWeak();
  return await inHashingTurn(origin, () =>
    hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
  );
}
