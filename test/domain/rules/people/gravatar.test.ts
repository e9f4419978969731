import { expect, test } from 'vitest';
import { GRAVATAR_URL, gravatarImage } from '../../../../src/domain/rules/people/gravatar.ts';

/** The example of the service's own documentation. */
const HASH = '0bc83cb571cd1c50ba6f3e8a78ef1346';

test.each(['myemailaddress@example.com', ' MyEmailAddress@example.com '])(
  'the hash is of the address without spaces and capitals: %j',
  (email) => {
    expect(gravatarImage(GRAVATAR_URL, { email, version: 3, isMedium: false })).toBe(
      `https://secure.gravatar.com/avatar/${HASH}?d=identicon&version=3`,
    );
  },
);

test('a medium image is asked for by its size, of whatever service', () => {
  const wanted = { email: 'myemailaddress@example.com', version: 1, isMedium: true };
  expect(gravatarImage('https://a.example/', wanted)).toBe(
    `https://a.example/${HASH}?d=identicon&version=1&s=500`,
  );
});
