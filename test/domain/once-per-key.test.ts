import { expect, test } from 'vitest';
import { madeIn, oncePerKey } from '../../src/domain/once-per-key.ts';

test('the value of a key is made at its first use, and is the same one afterwards', () => {
  const asked: string[] = [];
  const made = oncePerKey((key: string) => {
    asked.push(key);
    return { key };
  });
  const first = made('a');
  expect([made('b'), made('a')]).toEqual([{ key: 'b' }, first]);
  expect(made('a')).toBe(first);
  expect(asked).toEqual(['a', 'b']);
});

test('a value that is in the map already is not made', () => {
  const counts = new Map([['a', 0]]);
  expect(madeIn(counts, 'a', () => 1)).toBe(0);
  expect(madeIn(counts, 'b', (key) => key.length)).toBe(1);
  expect([...counts]).toEqual([
    ['a', 0],
    ['b', 1],
  ]);
});
