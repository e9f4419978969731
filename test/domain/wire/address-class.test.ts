import { expect, test } from 'vitest';
import { addressClass } from '../../../src/domain/wire/address-class.ts';
import { addressName } from '../../../src/transport/connections/addresses.ts';

const CLASSES = [
  ['loopback', [127, 0, 0, 1]],
  ['loopback', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ['loopback', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1]],
  ['private', [10, 1, 2, 3]],
  ['private', [100, 64, 0, 1]],
  ['public', [100, 128, 0, 1]],
  ['private', [169, 254, 1, 1]],
  ['private', [172, 31, 0, 1]],
  ['public', [172, 32, 0, 1]],
  ['private', [192, 168, 1, 1]],
  ['public', [192, 169, 1, 1]],
  ['private', [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ['private', [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ['public', [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
] as const;

test.each(CLASSES)('%s: %j', (known, bytes) => {
  expect(addressClass(addressName(Uint8Array.from(bytes)))).toBe(known);
});

test('whoever has gone has none', () => {
  expect(addressClass('')).toBe(null);
});
