import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheKeyOf } from '../../../storage/cache/row-map.ts';

test('keys of two parts are looked up apart, numbers or not', () => {
  const ids = fc.oneof(
    fc.nat(3),
    fc.constantFrom(2 ** 21 - 1, 2 ** 21, 2 ** 32, -1, 0.5),
    fc.nat(),
  );
  fc.assert(
    fc.property(fc.tuple(ids, ids), fc.tuple(ids, ids), (one, other) => {
      expect(cacheKeyOf(one) === cacheKeyOf(other)).toBe(
        one[0] === other[0] && one[1] === other[1],
      );
    }),
  );
});
