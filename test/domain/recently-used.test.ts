import { expect, test } from 'vitest';
import { recentlyUsed } from '../../src/domain/recently-used.ts';

test('what was read longest ago goes first, and what weighs more than all is not kept', () => {
  const rows = recentlyUsed<string | number, { size: number }>(10, ({ size }) => size);
  const [one, other] = [{ size: 4 }, { size: 5.5 }];
  rows.set(1, one);
  rows.set(2, other);
  expect(rows.get(1)).toBe(one);
  rows.set('three', { size: 0 });
  expect([rows.get(1), rows.get(2), rows.get('three')]).toEqual([one, undefined, { size: 0 }]);
  rows.set(1, { size: 11 });
  expect(rows.get(1)).toBeUndefined();
});

test('entries count as one each where nothing says what they weigh, and a peek is no use', () => {
  const texts = recentlyUsed<number, symbol>(2);
  const [a, b, c] = [Symbol('a'), Symbol('b'), Symbol('c')];
  texts.set(1, a);
  texts.set(2, b);
  expect(texts.peek(1)).toBe(a);
  texts.set(3, c);
  expect([texts.get(1), texts.get(2), texts.get(3)]).toEqual([undefined, b, c]);
});
