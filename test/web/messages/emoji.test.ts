import compact from 'emojibase-data/en/compact.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { codeToNames } from '../../../src/domain/rules/texts/emoji.ts';
import { GROUPS } from '../../../web/app/store/emoji/groups.ts';
import {
  COLUMNS,
  codeOf,
  foundSections,
  rowsOf,
  type Section,
  steppedInGrid,
  tabsOf,
} from '../../../web/app/store/emoji/picker.ts';
import {
  noteChosen,
  openRecent,
  RECENT_MAX,
  recent,
  recentIn,
} from '../../../web/app/store/emoji/recent.ts';
import { emojiIn, QUICK } from '../../../web/app/store/feed/emoji.ts';

const all = emojiIn({ code_to_names: codeToNames() });
const party = { id: '5', name: 'party_cat', url: '/user_avatars/1/emoji/5.png' };

test('the groups have the emoji of Unicode in its order, each of which the server knows', () => {
  const codes = GROUPS.flatMap(([, emoji]) => emoji.split(' ').map(codeOf));
  const ordered = (compact as { hexcode: string; group?: number; order?: number }[])
    // Regional letters have no group, and skin tones are parts of others.
    .filter(({ group }) => group !== undefined && group !== 2)
    .sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
    .map(({ hexcode }) => hexcode.toLowerCase().replaceAll('-fe0f', ''));
  expect(codes).toEqual(ordered);
  const known = new Set(all.map(({ emoji_code: code }) => code));
  expect(codes.filter((code) => !known.has(code))).toEqual([]);
});

test('every emoji of the server is in the picker once, but for letters of flags and parts', () => {
  const shown = tabsOf({ all, own: [], recent: [] }).flatMap(({ sections }) =>
    sections.flatMap(({ emoji }) => emoji.map(({ emoji_code: code }) => code)),
  );
  expect(new Set(shown).size).toBe(shown.length);
  const others = all.filter(({ emoji_code: code }) => !shown.includes(code));
  expect(others.length).toBeLessThan(60);
  expect(
    others.every(
      ({ names }) => foundSections({ all, own: [], recent: [] }, names[0] ?? '').length > 0,
    ),
  ).toBe(true);
});

test('what was used last and what the organization has come first', () => {
  const [first, second] = tabsOf({
    all,
    own: [party],
    recent: [...QUICK, { emoji_name: 'gone', emoji_code: '99', reaction_type: 'realm_emoji' }],
  });
  expect(first?.sections.map(({ name }) => name)).toEqual([
    'Used last',
    'Of the organization',
    'Smileys',
  ]);
  // One that the organization has removed is not offered.
  expect(first?.sections[0]?.emoji).toEqual(QUICK);
  expect(second?.sections.map(({ name }) => name)).toEqual(['People']);
  expect(foundSections({ all, own: [party], recent: [] }, 'Party')[0]?.emoji[0]?.emoji_code).toBe(
    '5',
  );
  expect(foundSections({ all, own: [party], recent: [] }, 'no such thing')).toEqual([]);
});

/** Sections of so many emoji. */
const sections = (...counts: readonly number[]): readonly Section[] =>
  counts.map((count, index) => ({
    name: `${index}`,
    emoji: Array.from({ length: count }, (_, at) => ({
      ...QUICK[0],
      emoji_code: `${at}`,
    })) as never,
  }));

test.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 20, 20],
  ['ArrowLeft', 0, 0],
  ['ArrowLeft', 11, 10],
  ['ArrowDown', 0, 9],
  ['ArrowDown', 5, 10],
  ['ArrowDown', 10, 12],
  ['ArrowDown', 20, 20],
  ['ArrowUp', 3, -1],
  ['ArrowUp', 13, 10],
  ['ArrowUp', 12, 10],
  ['ArrowUp', 10, 1],
  ['Home', 10, 9],
  ['End', 3, 8],
  ['End', 9, 10],
  ['a', 3, null],
] as const)('%s at %i leads to %j', (key, at, to) => {
  // Rows of 9, 2, 9 and 1.
  expect(steppedInGrid(sections(11, 10), at, { key, ctrl: false })).toBe(to);
});

test('with Ctrl, Home and End go to the first and the last emoji', () => {
  expect(steppedInGrid(sections(11, 10), 10, { key: 'Home', ctrl: true })).toBe(0);
  expect(steppedInGrid(sections(11, 10), 0, { key: 'End', ctrl: true })).toBe(20);
});

test('from any emoji, arrows reach every other one, and never leave the grid', () => {
  const grid = sections(0, 1, COLUMNS, COLUMNS + 1, 3);
  const count = grid.reduce((sum, { emoji }) => sum + emoji.length, 0);
  expect(grid.flatMap(({ emoji }) => rowsOf(emoji)).flat()).toHaveLength(count);
  const reached = new Set([0]);
  for (const at of reached) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']) {
      const next = steppedInGrid(grid, at, { key, ctrl: false });
      if (next === -1) continue;
      expect(next).toBeGreaterThanOrEqual(0);
      expect(next).toBeLessThan(count);
      reached.add(next ?? 0);
    }
  }
  expect(reached.size).toBe(count);
});

test('what is chosen is kept, the newest first, and no more than two rows', () => {
  let kept: string | null = null;
  openRecent({
    read: () => kept,
    write: (text) => {
      kept = text;
    },
  });
  expect(recent.value).toEqual(QUICK);
  for (const emoji of all.slice(0, 30)) noteChosen(emoji);
  noteChosen(all[20] ?? expect.fail('there are more'));
  expect(recent.value).toHaveLength(RECENT_MAX);
  expect(recent.value.slice(0, 2).map(({ emoji_code: code }) => code)).toEqual([
    all[20]?.emoji_code,
    all[29]?.emoji_code,
  ]);
  expect(recentIn(kept)).toEqual(recent.value);
});

test.each([
  '',
  '{',
  'null',
  '[1,null,{}]',
  '[{"emoji_name":1,"emoji_code":"","reaction_type":""}]',
])('what is damaged counts as not said: %s', (text) => {
  expect(recentIn(text)).toEqual(QUICK);
});
