import { expect, test } from 'vitest';
import { PASSWORD_LENGTH_MAX } from '../../../src/domain/limits/credentials.ts';
import { NO_ACCOUNT_HASH, passwordMatches } from '../../../src/endpoints/server/password-check.ts';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';

const costOf = (hash: string) => hash.split('$').slice(0, 4);

test('a check without an account costs what a check with one costs', async () => {
  expect(costOf(NO_ACCOUNT_HASH)).toEqual(costOf(await hashPassword('correct horse')));
});

test('only the password itself is right', async () => {
  const longest = 'x'.repeat(PASSWORD_LENGTH_MAX);
  const hash = await hashPassword(longest);
  expect(await passwordMatches(hash, { password: longest, origin: '' })).toBe(true);
  expect(await passwordMatches(hash, { password: longest.slice(1), origin: '' })).toBe(false);
  expect(await passwordMatches(hash, { password: `${longest}x`, origin: '' })).toBe(false);
  expect(await passwordMatches(null, { password: longest, origin: '' })).toBe(false);
});
