import { expect, test } from 'vitest';
import { Heights } from '../../../web/app/store/feed/heights.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';

/** The same by a look at every row. */
const topOf = (rows: readonly number[], index: number) =>
  rows.slice(0, index).reduce((sum, height) => sum + height, 0);

function atOf(rows: readonly number[], position: number) {
  let top = 0;
  for (const [index, height] of rows.entries()) {
    top += height;
    if (position < top) return index;
  }
  return Math.max(0, rows.length - 1);
}

test.each(runNumbers({ few: 40, all: 400 }))(
  'whatever is done to the tree, it gives what a look at every row gives (seed %i)',
  (seed) => {
    const { below, pick, chance } = openRandom(seed);
    const some = (count: number) => Array.from({ length: count }, () => below(64 * 300) / 64);
    let rows = some(below(200));
    const heights = new Heights(rows);
    for (let step = 0; step < 200; step++) {
      const act = pick(['set', 'set', 'append', 'prepend', 'splice']);
      const added = some(below(chance(0.1) ? 200 : 8));
      if (act === 'append') {
        heights.append(added);
        rows = [...rows, ...added];
      } else if (act === 'prepend') {
        heights.prepend(added);
        rows = [...added, ...rows];
      } else if (act === 'splice') {
        const at = below(rows.length + 1);
        const removed = below(Math.min(9, rows.length - at + 1));
        heights.splice(at, removed, added);
        rows.splice(at, removed, ...added);
      } else if (rows.length > 0) {
        const index = below(rows.length);
        rows[index] = below(64 * 300) / 64;
        heights.set(index, rows[index] ?? 0);
      }
      const index = below(rows.length + 2);
      const position = below(Math.ceil(topOf(rows, rows.length)) + 100) - 50;
      expect(heights.length).toBe(rows.length);
      expect(heights.total).toBe(topOf(rows, rows.length));
      expect(heights.top(index)).toBe(topOf(rows, index));
      expect(heights.get(index)).toBe(rows[index] ?? 0);
      expect(heights.at(position), `at ${position}`).toBe(atOf(rows, position));
    }
  },
);

test('rows without a height are passed over, and positions outside are the first and the last row', () => {
  const heights = new Heights([10, 0, 0, 10]);
  expect([-5, 0, 9, 10, 19, 20, 1e9].map((position) => heights.at(position))).toEqual([
    0, 0, 0, 3, 3, 3, 3,
  ]);
  expect(new Heights().at(5)).toBe(0);
  expect(new Heights().total).toBe(0);
});

test('a height of a row that is not there is refused', () => {
  const heights = new Heights([10]);
  expect(() => heights.set(1, 5)).toThrow('no row 1');
  expect(() => heights.set(-1, 5)).toThrow('no row -1');
});

test('fractions of a pixel add up without an error', () => {
  const heights = new Heights(Array.from({ length: 100_000 }, () => 0.1));
  for (let index = 0; index < 100_000; index += 7) heights.set(index, 33.3);
  for (let index = 0; index < 100_000; index += 7) heights.set(index, 0.1);
  expect(heights.total).toBe((Math.round(0.1 * 64) / 64) * 100_000);
});
