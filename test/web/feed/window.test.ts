import { expect, test } from 'vitest';
import { FeedWindow, type WindowRow } from '../../../web/app/store/feed/window.ts';
import { openRandom, type Random } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';

const VIEW = 500;

const rows = (from: number, count: number): WindowRow[] =>
  Array.from({ length: count }, (_, index) => ({ key: `m${from + index}`, estimate: 40 }));

function opened(list: readonly WindowRow[]) {
  const view = new FeedWindow();
  view.resized(VIEW);
  view.setRows(list);
  return view;
}

/** How far below the top of the view a row begins. */
const placeOf = (view: FeedWindow, key: string) =>
  view.heights.top(view.indexOf(key)) - view.scrollTop;

test('a list begins at its end and follows it, until the reader scrolls away', () => {
  const view = opened(rows(0, 100));
  expect(view.scrollTop).toBe(100 * 40 - VIEW);
  view.setRows(rows(0, 101));
  expect(view.scrollTop).toBe(101 * 40 - VIEW);
  view.measured([['m100', 90]]);
  expect(view.scrollTop).toBe(100 * 40 + 90 - VIEW);
  view.resized(300);
  expect(view.scrollTop).toBe(100 * 40 + 90 - 300);
  view.scrolledTo(1_000);
  view.setRows(rows(0, 150));
  expect(view.scrollTop).toBe(1_000);
  view.scrollToEnd();
  view.setRows(rows(0, 151));
  expect(view.scrollTop).toBe(view.total - 300);
});

test('an end after which more is loaded is not followed: nothing of it is skipped', () => {
  const view = opened(rows(0, 100));
  view.endsAtNewest(false);
  view.scrolledTo(view.total - VIEW);
  view.setRows(rows(0, 200));
  expect(view.scrollTop).toBe(100 * 40 - VIEW);
  // The last page comes: it is followed when the reader is at its end, not before.
  view.setRows(rows(0, 250));
  view.endsAtNewest(true);
  expect(view.scrollTop).toBe(100 * 40 - VIEW);
  view.scrolledTo(view.total - VIEW);
  view.setRows(rows(0, 251));
  expect(view.scrollTop).toBe(view.total - VIEW);
});

test('a list that turns out to fit into the view is at its end', () => {
  const few = rows(0, 20);
  const view = opened(few);
  view.scrollTo('m0');
  expect([view.total > VIEW, view.isAtEnd]).toEqual([true, false]);
  view.measured(few.map(({ key }) => [key, 10] as const));
  expect([view.total < VIEW, view.isAtEnd]).toEqual([true, true]);
});

test('rows that come in above move the view by their height', () => {
  const view = opened(rows(100, 100));
  view.scrolledTo(1_010);
  view.setRows([...rows(50, 50), ...rows(100, 100)]);
  expect(view.scrollTop).toBe(1_010 + 50 * 40);
  expect(view.indexOf('m100')).toBe(50);
  view.measured([['m60', 100]]);
  expect(view.scrollTop).toBe(1_010 + 50 * 40 + 60);
});

test('a row across the upper edge that grows pushes upwards what is above, not what is read', () => {
  const view = opened(rows(0, 100));
  view.scrolledTo(1_010);
  const before = placeOf(view, 'm26');
  view.measured([['m25', 300]]);
  expect(placeOf(view, 'm26')).toBe(before);
});

test('a row that fills the view keeps its beginning', () => {
  const view = opened(rows(0, 100));
  view.measured([['m50', 2_000]]);
  view.scrolledTo(50 * 40 + 700);
  view.measured([['m50', 2_400]]);
  expect(view.scrollTop).toBe(50 * 40 + 700);
});

test('where the row that was read is gone, the next one takes its place', () => {
  const view = opened(rows(0, 100));
  view.scrolledTo(1_000);
  expect(placeOf(view, 'm25')).toBe(0);
  view.setRows(rows(0, 100).filter(({ key }) => key !== 'm25'));
  expect(placeOf(view, 'm26')).toBe(40);
  expect(view.scrollTop).toBe(25 * 40 - 40);
});

test('a row is scrolled to by its start, into the middle, or only as far as it must', () => {
  const view = opened(rows(0, 100));
  view.scrollTo('m20');
  expect(view.scrollTop).toBe(800);
  view.scrollTo('m20', 'center');
  expect(view.scrollTop).toBe(800 - (VIEW - 40) / 2);
  view.scrollTo('m20', 'nearest');
  expect(view.scrollTop).toBe(800 - (VIEW - 40) / 2);
  view.scrollTo('m60', 'nearest');
  expect(view.scrollTop).toBe(60 * 40 + 40 - VIEW);
  view.scrollTo('m99', 'center');
  expect(view.isAtEnd).toBe(true);
  view.scrollTo('nobody');
  expect(view.scrollTop).toBe(100 * 40 - VIEW);
});

test('the rows that count as read are those whose end is in the view', () => {
  const view = opened(rows(0, 100));
  view.scrolledTo(0);
  expect(view.readRows()).toEqual({ first: 0, end: 12 });
  view.scrolledTo(20);
  expect(view.readRows()).toEqual({ first: 0, end: 13 });
  view.scrollToEnd();
  expect(view.readRows().end).toBe(100);
});

/** A list that changes as lists of messages do. */
function changed(list: readonly WindowRow[], { below, pick }: Random): WindowRow[] {
  const numbers = list.map(({ key }) => Number(key.slice(1)));
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const act = pick(['append', 'append', 'prepend', 'remove', 'trim', 'insert']);
  if (act === 'append') return [...list, ...rows(last + 1 + below(2), 1 + below(20))];
  if (act === 'prepend') {
    const count = 1 + below(20);
    return [...rows(first - count, count), ...list];
  }
  if (act === 'remove') return list.filter(() => below(20) > 0);
  if (act === 'trim') return list.slice(below(10), list.length - below(10));
  const at = below(list.length + 1);
  return [...list.slice(0, at), { key: `x${below(1e9)}`, estimate: below(100) }, ...list.slice(at)];
}

test.each(runNumbers({ few: 30, all: 300 }))(
  'whatever comes, goes or grows, the first row that is read and stays does not move (seed %i)',
  (seed) => {
    const random = openRandom(seed);
    const { below, chance } = random;
    let list: WindowRow[] = rows(0, 200);
    const view = opened(list);
    for (let step = 0; step < 150; step++) {
      if (chance(0.3)) view.scrolledTo(below(Math.max(1, view.total - VIEW)));
      if (chance(0.05)) view.scrollToEnd();
      const { first, end } = view.shown();
      const before = list.map(({ key }, index) => ({
        key,
        place: view.heights.top(index) - view.scrollTop,
      }));
      const wasAtEnd = view.isAtEnd;
      const isChange = chance(0.5);
      if (isChange) {
        list = changed(list, random);
        view.setRows(list);
      } else {
        const heights = list
          .slice(first, end)
          .filter(() => chance(0.3))
          .map(({ key }) => [key, below(64 * 200) / 64] as const);
        view.measured(heights);
      }
      const lowest = Math.max(0, view.total - VIEW);
      expect(view.scrollTop).toBeGreaterThanOrEqual(0);
      expect(view.scrollTop).toBeLessThanOrEqual(lowest);
      expect(view.length).toBe(list.length);
      expect(list.findIndex(({ key }, index) => view.indexOf(key) !== index)).toBe(-1);
      expect(view.heights.total).toBe(
        list.reduce((sum, _, index) => sum + view.heights.get(index), 0),
      );
      const after = view.shown();
      expect(after.offset).toBe(view.heights.top(after.first));
      if (list.length > 0) {
        expect(after.offset).toBeLessThanOrEqual(view.scrollTop);
        expect(view.heights.top(after.end)).toBeGreaterThanOrEqual(
          Math.min(view.total, view.scrollTop + VIEW),
        );
      }
      if (wasAtEnd) {
        expect(view.scrollTop).toBe(lowest);
        continue;
      }
      // The ends of the list may leave no choice.
      if (view.scrollTop === 0 || view.scrollTop === lowest) continue;
      const still = new Set(list.map(({ key }) => key));
      const read = before.find(({ key, place }) => place >= 0 && place < VIEW && still.has(key));
      if (read !== undefined) expect(placeOf(view, read.key), read.key).toBe(read.place);
    }
  },
);
