import { expect, test } from 'vitest';
import { addressOf } from '../../../src/cluster/log/nats/server-address.ts';

test.each([
  ['nats://nats-1.example.com:4223', 'nats-1.example.com', 'nats-1.example.com', 4223],
  ['tls://nats-1.example.com', 'nats-1.example.com', 'nats-1.example.com', 4222],
  ['nats://10.0.0.1:80/', '10.0.0.1', '10.0.0.1', 80],
  ['tls://[2001:db8::1]:443', '[2001:db8::1]', '2001:db8::1', 443],
  ['nats://ü.example:4222', 'xn--tda.example', 'xn--tda.example', 4222],
])('%s is the server at %s', (server, hostInUrl, host, port) => {
  expect(addressOf(server)).toEqual({ hostInUrl, host, port, user: '', password: '' });
});

test('an account is read as it is meant, and what is no address is refused', () => {
  expect(addressOf('nats://ada:p%40ss%20word@a:4222')).toMatchObject({
    user: 'ada',
    password: 'p@ss word',
  });
  for (const wrong of ['nats://a b', 'nats://a:99999', 'nats://']) {
    expect(() => addressOf(wrong), wrong).toThrow();
  }
});
