import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { isOwnHost } from '../../src/admin/own-hosts.ts';

test('the addresses of this machine are its own with any port, and no others', () => {
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
  expect(own.length).toBeGreaterThan(0);
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect(isOwnHost(host, 'example.com', [])).toBe(true);
    expect(isOwnHost(`${host}:8080`, 'example.com', [])).toBe(true);
  }
  for (const host of ['192.0.2.1', '[2001:db8::1]:8080', '0.0.0.0']) {
    expect(isOwnHost(host, 'example.com', [])).toBe(false);
  }
});

test('names of the realm below the domain are own hosts, and so is the domain', () => {
  const isOwn = (host: string) => isOwnHost(host, 'example.com', ['acme', 'former']);
  const own = [
    'acme.example.com',
    'FORMER.example.com:80',
    'example.com',
    'localhost',
    'a.localhost',
  ];
  expect(own.map(isOwn)).toEqual(own.map(() => true));
  const others = ['other.example.com', 'acme.example.org', 'aexample.com', 'localhost.example.org'];
  expect(others.map(isOwn)).toEqual(others.map(() => false));
});
