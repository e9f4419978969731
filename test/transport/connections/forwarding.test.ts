import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { addressBytes, fullAddress } from '../../../src/transport/connections/addresses.ts';
import { openForwarding, trustedProxies } from '../../../src/transport/connections/forwarding.ts';
import type { HttpRequest, HttpResponse } from '../../../src/transport/library/sockets.ts';
import { openRandom } from '../../support/random.ts';

type Headers = readonly (readonly [string, string])[];

/** Returns how a request from an address is taken. */
function forwarded(trusted: string, peer: string, headers: Headers) {
  const bytes = addressBytes(peer) ?? expect.fail();
  const res = { getRemoteAddress: () => Uint8Array.from(bytes).buffer };
  const req = {
    forEach(each: (name: string, value: string) => void) {
      for (const [name, value] of headers) each(name, value);
    },
  };
  const { trustedProxies: ranges } = readSettings({ CONFAB_TRUSTED_PROXIES: trusted });
  return openForwarding(ranges)(res as HttpResponse, req as HttpRequest); // no more of them is used
}

const from = (...lines: string[]): Headers => lines.map((line) => ['x-forwarded-for', line]);

test.each([
  { is: '203.0.113.9', by: from('203.0.113.9') },
  { is: '203.0.113.9', by: from('1.2.3.4, 203.0.113.9') },
  { is: '203.0.113.9', by: from('1.2.3.4', '203.0.113.9') },
  { is: '203.0.113.9', by: from('1.2.3.4, 203.0.113.9, 10.1.2.3 ,127.0.0.1') },
  { is: '203.0.113.9', by: from('203.0.113.9:4711, [fd00::1]:80, ,') },
  { is: '203.0.113.9', by: from('::ffff:203.0.113.9') },
  { is: '20010db800000001', by: from('203.0.113.9, 2001:db8:0:1::7') },
  { is: '20010db800000001', by: from('[2001:db8:0:1::7]:443') },
  // If all of them are trusted, the request comes from the first.
  { is: '10.9.9.9', by: from('10.9.9.9, 10.1.2.3') },
  // A word that is no address was not written by a trusted proxy.
  { is: '10.1.2.3', by: from('203.0.113.9, unknown, 10.1.2.3') },
  { is: '127.0.0.1', by: from('203.0.113.9, unknown') },
  { is: '127.0.0.1', by: from('fe80::1%eth0') },
  { is: '', by: from() },
])('behind trusted proxies $by comes from $is', ({ is, by }) => {
  const said = forwarded('127.0.0.1, 10.0.0.0/8,fd00::/8', '127.0.0.1', by);
  expect(said?.address).toBe(is);
});

test.each([
  { trusted: '10.0.0.0/8', peer: '10.255.0.1', isTrusted: true },
  { trusted: '10.0.0.0/8', peer: '::ffff:10.255.0.1', isTrusted: true },
  { trusted: '10.0.0.0/8', peer: '11.0.0.1', isTrusted: false },
  { trusted: '10.0.0.1', peer: '10.0.0.1', isTrusted: true },
  { trusted: '10.0.0.1', peer: '10.0.0.2', isTrusted: false },
  { trusted: '10.0.0.1', peer: '2001:db8::1', isTrusted: false },
  { trusted: '2001:db8::/33', peer: '2001:db8:7fff::1', isTrusted: true },
  { trusted: '2001:db8::/33', peer: '2001:db8:8000::1', isTrusted: false },
  { trusted: '::1', peer: '::1', isTrusted: true },
  { trusted: '0.0.0.0/0', peer: '203.0.113.9', isTrusted: true },
  { trusted: '0.0.0.0/0', peer: '2001:db8::1', isTrusted: false },
])('with $trusted trusted, $peer is: $isTrusted', ({ trusted, peer, isTrusted }) => {
  expect(forwarded(trusted, peer, from('1.2.3.4'))?.address).toBe(
    isTrusted ? '1.2.3.4' : undefined,
  );
});

test('the scheme and the host are those that the nearest proxy says', () => {
  const at = (headers: Headers) => {
    const said = forwarded('127.0.0.1', '127.0.0.1', headers);
    return said?.hostOf('inner.example.com');
  };
  const proto = (value: string) => ['x-forwarded-proto', value] as const;
  const host = (value: string) => ['x-forwarded-host', value] as const;
  const name = 'chat.example.com';
  expect(at([])).toBe('inner.example.com');
  expect(at([proto('gopher')])).toBe('inner.example.com');
  expect(at([proto('https')])).toEqual({
    name: 'inner.example.com',
    isVouched: false,
    isTls: true,
  });
  expect(at([host(name)])).toEqual({ name, isVouched: true, isTls: null });
  expect(at([host(`evil.example.com, ${name}`), proto('https, HTTP')])).toEqual({
    name,
    isVouched: true,
    isTls: false,
  });
  expect(at([host('evil.example.com'), host(name)])).toMatchObject({ name });
});

const standard = (...lines: string[]): Headers => lines.map((line) => ['forwarded', line]);

test.each([
  { is: '203.0.113.9', by: standard('for=203.0.113.9') },
  { is: '203.0.113.9', by: standard('for=1.2.3.4, for="203.0.113.9:4711";proto=https') },
  { is: '203.0.113.9', by: standard('for=1.2.3.4', 'for=203.0.113.9, for=10.1.2.3') },
  { is: '20010db800000001', by: standard('for="[2001:db8:0:1::7]:443"') },
  { is: '20010db800000001', by: standard('for="[2001:db8:0:1::7]"') },
  // A proxy that hides who asks, or does not say, is as far as anybody can see.
  { is: '127.0.0.1', by: standard('for=203.0.113.9, for=_hidden') },
  { is: '10.1.2.3', by: standard('for=203.0.113.9, for=unknown, for=10.1.2.3') },
  { is: '10.1.2.3', by: standard('for=203.0.113.9, proto=https, for=10.1.2.3') },
  // A quote that a client has left open could hide what the proxy says.
  { is: '127.0.0.1', by: standard('for="1.2.3.4, for=203.0.113.9') },
  { is: '127.0.0.1', by: standard('proto=https') },
  { is: '203.0.113.9', by: [...standard('for=1.2.3.4'), ...from('203.0.113.9')] },
])('behind trusted proxies $by comes from $is', ({ is, by }) => {
  expect(forwarded('127.0.0.1, 10.0.0.0/8', '127.0.0.1', by)?.address).toBe(is);
});

test('nobody else is believed by Forwarded either', () => {
  expect(forwarded('10.0.0.0/8', '127.0.0.1', standard('for=1.2.3.4;host=evil'))).toBeNull();
});

test('the scheme and the host are those of the nearest element, unless there are the other headers', () => {
  const at = (headers: Headers) =>
    forwarded('127.0.0.1', '127.0.0.1', headers)?.hostOf('inner.example.com');
  const line = 'host=evil.example.com;proto=http, proto=HTTPS;host="chat.example.com:8443"';
  expect(at(standard(line))).toEqual({
    name: 'chat.example.com:8443',
    isVouched: true,
    isTls: true,
  });
  expect(at([...standard(line), ['x-forwarded-proto', 'http']])).toEqual({
    name: 'inner.example.com',
    isVouched: false,
    isTls: false,
  });
  expect(at(standard('host=evil.example.com, for=1.2.3.4'))).toBe('inner.example.com');
});

test('requests that say the same are of one host', () => {
  const forwarding = openForwarding(['127.0.0.1']);
  const res = { getRemoteAddress: () => Uint8Array.of(127, 0, 0, 1).buffer };
  const req = { forEach: (each: (...header: string[]) => void) => each('x-forwarded-host', 'a') };
  const host = () => forwarding(res as HttpResponse, req as HttpRequest)?.hostOf('b');
  expect(host()).toBe(host());
});

test('where no proxies are trusted nothing is looked at', () => {
  expect(trustedProxies(readSettings({}).trustedProxies, [])).toBeNull();
});

test.each([
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0',
  'proxy.example.com',
  '127.0.0.1,,::1',
  'fe80::1%eth0',
  '10.0.0.0/-1',
])('proxies are no such list: %s', (list) => {
  expect(() => readSettings({ CONFAB_TRUSTED_PROXIES: list })).toThrow(
    /^CONFAB_TRUSTED_PROXIES is not a list of addresses and ranges/,
  );
});

test('every address is read as what it is, and nothing else is an address', () => {
  const random = openRandom(20_261_124);
  for (let round = 0; round < 2_000; round++) {
    const bytes = Uint8Array.from({ length: random.below(2) === 0 ? 4 : 16 }, () =>
      random.below(3) === 0 ? random.below(256) : 0,
    );
    const text = fullAddress(bytes);
    expect(fullAddress(addressBytes(text) ?? expect.fail(text))).toBe(text);
    const garbled = [...text]
      .map((one) => (random.below(6) === 0 ? random.pick(ODD) : one))
      .join('');
    const read = addressBytes(garbled);
    expect(read === undefined || read.length === 4 || read.length === 16).toBe(true);
  }
  for (const none of ['', ' ', '1.2.3', '1.2.3.4.5', '01.2.3.4', ':', '[', '[]', 'x'.repeat(1e6)]) {
    expect(addressBytes(none)).toBeUndefined();
  }
});

const ODD = [':', '::', '.', '[', ']', '%', 'f', '/', ''] as const;
