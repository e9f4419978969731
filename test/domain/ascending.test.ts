import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder, isIn, placeIn } from '../../src/domain/ascending.ts';

const ids = fc.array(fc.integer({ min: 1, max: 40 }));

test('each id once, ascending', () => {
  expect(inOrder([20, 3, 100, 3])).toEqual([3, 20, 100]);
});

test('an id is found where it is, and belongs where the list stays in order', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 0, max: 41 }), (some, id) => {
      const list = inOrder(some);
      expect(isIn(list, id)).toBe(list.includes(id));
      expect(placeIn(list, id)).toBe(list.filter((each) => each < id).length);
    }),
  );
});
