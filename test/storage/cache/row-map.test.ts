import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheKeyOf, openRowMap } from '../../../storage/cache/row-map.ts';

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

test('what was read longest ago goes first, and what weighs more than all is not kept', () => {
  const rows = openRowMap<{ size: number }>({ sizeOf: ({ size }) => size, sizeMax: 10 });
  const [one, other] = [{ size: 4 }, { size: 5.5 }];
  rows.set(1, one);
  rows.set(2, other);
  expect(rows.get(1)).toBe(one);
  rows.set('three', { size: 0 });
  expect([rows.get(1), rows.get(2), rows.get('three')]).toEqual([one, undefined, { size: 0 }]);
  rows.set(1, { size: 11 });
  expect(rows.get(1)).toBeUndefined();
});
