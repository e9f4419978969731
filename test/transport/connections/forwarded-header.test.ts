import { expect, test } from 'vitest';
import { forwardedElements } from '../../../src/transport/connections/forwarded-header.ts';
import { openRandom } from '../../support/random.ts';

test.each([
  { header: 'for=192.0.2.43', is: [{ for: '192.0.2.43' }] },
  { header: 'For="[2001:db8:cafe::17]:4711"', is: [{ for: '[2001:db8:cafe::17]:4711' }] },
  {
    header: 'for=192.0.2.60;proto=http;by=203.0.113.43',
    is: [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }],
  },
  {
    header: 'for=192.0.2.43, FOR=198.51.100.17',
    is: [{ for: '192.0.2.43' }, { for: '198.51.100.17' }],
  },
  {
    header: 'for=_gazonk ; host="chat.example.com:8443" ,\tfor="_SEVKISEK"',
    is: [{ for: '_gazonk', host: 'chat.example.com:8443' }, { for: '_SEVKISEK' }],
  },
  // Signs within quotes end nothing.
  { header: 'for="a,b;host=\\"c\\"";proto=https', is: [{ for: 'a,b;host="c"', proto: 'https' }] },
  // Some proxies forget the quotes.
  { header: 'for=[2001:db8::1]:80;host=a:8080', is: [{ for: '[2001:db8::1]:80', host: 'a:8080' }] },
  { header: ', ,for=a,;', is: [{ for: 'a' }] },
  { header: '', is: [] },
])('$header is read', ({ header, is }) => {
  expect(forwardedElements(header)).toEqual(is);
});

test.each([
  'for="1.2.3.4',
  'for=1.2.3.4, for="',
  'for',
  'for = 1.2.3.4',
  'for=1.2.3.4;for=5.6.7.8',
  'for=a b',
  'for="a"b',
  '=a',
  'for=é',
])('%s is malformed', (header) => {
  expect(forwardedElements(header)).toBeUndefined();
});

test('any text is read in no time, and what a proxy appends to a sound one stays the last', () => {
  const random = openRandom(20_261_125);
  const parts: readonly [string, ...string[]] = [
    'for=',
    '"',
    '\\',
    ',',
    ';',
    ' ',
    'a',
    'proto=https',
    '[',
    '=',
    '\t',
  ];
  let soundCount = 0;
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: random.below(12) }, () => random.pick(parts)).join('');
    const read = forwardedElements(text);
    if (read === undefined) continue;
    soundCount += 1;
    expect(forwardedElements(`${text},for=192.0.2.1`)?.at(-1)).toEqual({ for: '192.0.2.1' });
  }
  expect(soundCount).toBeGreaterThan(500);
  for (const long of ['\\'.repeat(60_000), `for="${'\\"'.repeat(30_000)}`, ' '.repeat(60_000)]) {
    const begun = performance.now();
    forwardedElements(long);
    expect(performance.now() - begun).toBeLessThan(1_000);
  }
});
