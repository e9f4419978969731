import { expect, test } from 'vitest';
import { addressName } from '../../../src/transport/connections/addresses.ts';

const IPV6 = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 7];

test.each([
  ['of IPv4', [192, 0, 2, 7], '192.0.2.7'],
  ['of IPv4, seen over IPv6', [...Array(10).fill(0), 255, 255, 192, 0, 2, 7], '192.0.2.7'],
  ['of IPv6', [...IPV6, 0, 0, 0, 0, 0, 0, 0, 1], '20010db800000007'],
  ['of the same network', [...IPV6, 9, 9, 9, 9, 9, 9, 9, 9], '20010db800000007'],
  ['of this machine', [...Array(15).fill(0), 1], '0000000000000000'],
])('an address is counted as one: %s', (_which, bytes, name) => {
  expect(addressName(Uint8Array.from(bytes))).toBe(name);
});

test('the networks of IPv6 are told apart', () => {
  const other = [...IPV6.slice(0, 7), 8, 0, 0, 0, 0, 0, 0, 0, 1];
  expect(addressName(Uint8Array.from(other))).toBe('20010db800000008');
});
