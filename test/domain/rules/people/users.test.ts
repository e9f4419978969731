import { expect, test } from 'vitest';
import { faultOfFullName, looksLikeEmail } from '../../../../src/domain/rules/people/users.ts';

const faultOf = (name: string) => faultOfFullName(name, { min: 2, max: 100 });

test.each([
  "Anne-Marie d'Arc",
  'Иван Иванов',
  'مرحبا بك',
  'می\u200cخواهم',
  '李 小龙',
  '\u{1f600}\u{1f600}',
  '\u{1f469}\u200d\u{1f4bb} Ada',
  'O2',
  'a|b',
  '\u{1f600}'.repeat(100),
])('%s is a name', (name) => {
  expect(faultOf(name)).toBeUndefined();
});

test.each([
  { why: 'none', name: '', fault: 'Name too short!' },
  { why: 'one character of two units', name: '\u{1f600}', fault: 'Name too short!' },
  { why: 'of 101 characters', name: 'x'.repeat(101), fault: 'Name too long!' },
  ...['*', '`', '\\', '>', '"', '@'].map((sign) => ({
    why: `with ${sign}`,
    name: `a${sign}b`,
    fault: 'Invalid characters in name!',
  })),
  ...[
    { why: 'with a line end', sign: '\n' },
    { why: 'with NUL', sign: '\0' },
    { why: 'with a space that has no width', sign: '\u200b' },
    { why: 'that turns what follows around', sign: '\u202e' },
    { why: 'with a soft hyphen', sign: '\u00ad' },
    { why: 'with a byte order mark', sign: '\ufeff' },
    { why: 'with a tag', sign: '\u{e0041}' },
    { why: 'with a line separator', sign: '\u2028' },
    { why: 'with a paragraph separator', sign: '\u2029' },
    { why: 'with a character of nobody', sign: '\ue000' },
    { why: 'with what is no character', sign: '\ufffe' },
    { why: 'with half a character', sign: '\ud800' },
  ].map(({ why, sign }) => ({ why, name: `a${sign}b`, fault: 'Invalid characters in name!' })),
  { why: 'of joiners alone', name: '\u200d\u200d\u200c', fault: 'Invalid characters in name!' },
  { why: 'of accents alone', name: '\u0301\u0301', fault: 'Invalid characters in name!' },
  { why: 'that ends like a mention with an id', name: 'Mel|12', fault: 'Invalid format!' },
])('a name $why is refused', ({ name, fault }) => {
  expect(faultOf(name)).toBe(fault);
});

test('an address has nothing in it that nobody sees', () => {
  expect(looksLikeEmail('mel@example.com')).toBe(true);
  expect(looksLikeEmail('иван@почта.example')).toBe(true);
  for (const sign of ['\u200b', '\u202e', '\u200d', '\ufeff', '\0', '\ue000', '\ud800']) {
    expect(looksLikeEmail(`m${sign}el@example.com`), JSON.stringify(sign)).toBe(false);
  }
});
