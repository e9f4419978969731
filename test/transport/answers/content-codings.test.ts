import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codingFor } from '../../../src/transport/answers/content-codings.ts';

test.each([
  ['', null],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip'],
  ['GZip ; Q=0.2', 'gzip'],
  ['x-gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0.5, identity', null],
  ['gzip;q=0.5, identity;q=0.6', null],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=0, br;q=0.000', null],
  ['br;q=0.001', 'br'],
  ['identity', null],
  ['identity;q=0', null],
  ['identity;q=0, *;q=0', null],
  ['deflate, zstd', null],
])('%j asks for %s', (header, coding) => {
  expect(codingFor(header)).toBe(coding);
});

test.each([
  ['gzip;q=2'],
  ['gzip;q=-1'],
  ['gzip;q=0.1234'],
  ['gzip;q='],
  ['gzip;q=one'],
  ['gzip;q'],
  ['gzip;q =1'],
  ['br;q=1e0'],
  ['gzi p'],
  ['"gzip"'],
  ['gzip=1'],
  [',,,;;;'],
  [`${'gzi,'.repeat(10_000)}p`],
])('what cannot be read asks for nothing: %j', (header) => {
  expect(codingFor(header)).toBe(header === 'gzip;q' ? 'gzip' : null);
});

test('the first of two items for one coding counts', () => {
  expect(codingFor('gzip;q=0, gzip')).toBe(null);
  expect(codingFor('x-gzip, gzip;q=0')).toBe('gzip');
});

test('an answer depends on the header alone, whatever was asked before', () => {
  const word = fc.constantFrom('br', 'gzip', 'identity', '*', 'deflate', 'x');
  const weight = fc.constantFrom('', ';q=0', ';q=0.3', ';q=0.7', ';q=1', ';q=9');
  const header = fc.array(
    fc.tuple(word, weight).map((parts) => parts.join('')),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(
      fc.array(
        header.map((items) => items.join(', ')),
        { minLength: 100 },
      ),
      (headers) => {
        const first = headers.map(codingFor);
        for (let index = 0; index < 100; index += 1) codingFor(`x${index}`);
        expect(headers.map(codingFor)).toEqual(first);
      },
    ),
    { numRuns: 20 },
  );
});
