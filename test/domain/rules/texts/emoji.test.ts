import { expect, test } from 'vitest';
import * as emoji from '../../../../src/domain/rules/texts/emoji.ts';

test.each([
  ['smile', '1f642'],
  ['slightly_smiling_face', '1f642'],
  ['thumbs_up', '1f44d'],
  ['+1', '1f44d'],
  ['-1', '1f44e'],
  ['tada', '1f389'],
  ['party_popper', '1f389'],
  ['heart', '2764'],
  ['octopus', '1f419'],
  ['sunglasses', '1f60e'],
  ['one', '0031-20e3'],
  ['flag_germany', '1f1e9-1f1ea'],
  ['rainbow_flag', '1f3f3-200d-1f308'],
  ['nothing', undefined],
  ['Smile', undefined],
  ['', undefined],
  ['constructor', undefined],
])('the code of %j is %j', (name, code) => {
  expect(emoji.codeOf(name)).toBe(code);
});

test('the name that is shown comes first, the others after it', () => {
  expect(emoji.nameOf('1f642')).toBe('smile');
  expect(emoji.namesOf('1f44d')).toEqual(expect.arrayContaining(['thumbs_up', '+1', 'thumbsup']));
  expect(emoji.nameOf('1f44d')).toBe('thumbs_up');
  expect(emoji.nameOf('1f642-fe0f')).toBeUndefined();
  expect(emoji.namesOf('0')).toEqual([]);
});

test.each([
  ['😀', '1f600'],
  ['❤️', '2764'],
  ['1️⃣', '0031-20e3'],
  ['👩‍❤️‍💋‍👨', '1f469-200d-2764-200d-1f48b-200d-1f468'],
])('the code of the character %s is %s', (character, code) => {
  expect(emoji.codeOfCharacter(character)).toBe(code);
  expect(emoji.nameOf(code)).toBeDefined();
});

test('the data for clients has every name once, and every code is that of a character', () => {
  const data = emoji.codeToNames();
  const codes = Object.keys(data);
  const names = Object.values(data).flat();
  expect(codes.length).toBeGreaterThan(1_800);
  expect(new Set(names).size).toBe(names.length);
  for (const [code, [first = '']] of Object.entries(data)) {
    expect(code).toMatch(/^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/);
    expect(code).not.toMatch(/fe0f|1f3f[b-f]/);
    expect(emoji.nameOf(code)).toBe(first);
  }
  for (const name of names) {
    expect(name).toMatch(/^[a-z0-9_+-]+$/);
    expect(data[emoji.codeOf(name) ?? '']).toContain(name);
  }
});

test('the one extra emoji has the neutral name, and the configured one as well', () => {
  expect(emoji.isExtraEmoji('service', '')).toBe(true);
  expect(emoji.isExtraEmoji('service', 'acme')).toBe(true);
  expect(emoji.isExtraEmoji('acme', 'acme')).toBe(true);
  expect(emoji.isExtraEmoji('acme', '')).toBe(false);
  expect(emoji.isExtraEmoji('', '')).toBe(false);
  expect(emoji.codeOf('service')).toBeUndefined();
});
