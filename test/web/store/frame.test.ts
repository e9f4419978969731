import { expect, test } from 'vitest';
import { rank, type Target } from '../../../web/app/store/palette.ts';
import { noted } from '../../../web/app/store/recents.ts';
import {
  dmNarrow,
  INBOX,
  isNarrow,
  narrowRoute,
  searchNarrow,
  topicNarrow,
} from '../../../web/app/store/route.ts';
import {
  change,
  DEFAULTS,
  isClosed,
  openSettings,
  settings,
  settingsIn,
  toggle,
} from '../../../web/app/store/settings.ts';
import { day, shortTime } from '../../../web/app/store/times.ts';
import { documentTitle, headingOf } from '../../../web/app/store/title.ts';

const NAMES = {
  ownId: 4,
  channel: (id: number) => (id === 1 ? 'general' : undefined),
  person: (id: number) => ({ 4: 'Mel', 7: 'Ada', 8: 'Max' })[id],
};

test.each([
  [INBOX, 'Inbox', null],
  [narrowRoute([]), 'All messages', null],
  [narrowRoute(topicNarrow(1, 'tea')), 'tea', 'general'],
  [narrowRoute(topicNarrow(1, '')), 'general chat', 'general'],
  [narrowRoute(topicNarrow(1, '✔ done')), 'done', 'general'],
  [narrowRoute(topicNarrow(2, 'x')), 'x', 'Unknown channel'],
  [narrowRoute(dmNarrow([8, 7])), 'Ada, Max', null],
  [narrowRoute(dmNarrow([4])), 'Notes to yourself', null],
  [narrowRoute(isNarrow('mentioned')), 'Mentions', null],
  [narrowRoute(isNarrow('constructor')), 'Search', null],
  [narrowRoute(searchNarrow('tea')), 'Search', null],
  [{ view: 'topics', channelId: 1 }, 'Topics', 'general'],
] as const)('%o has a heading', (route, title, within) => {
  expect(headingOf(route, NAMES)).toEqual({ title, within });
});

test('the title of the document says how much is unread, what is shown, and where', () => {
  const heading = { title: 'tea', within: 'general' };
  expect(documentTitle(heading, 'Acme', 0)).toBe('tea · general · Acme');
  expect(documentTitle(heading, 'Acme', 3)).toBe('(3) tea · general · Acme');
  expect(documentTitle({ title: 'Inbox', within: null }, '', 4_000)).toBe('(999+) Inbox');
});

const target = (key: string, kind: Target['kind'], unread = 0): Target => ({
  key,
  kind,
  label: key,
  hint: '',
  route: INBOX,
  unread,
});

const TARGETS = [
  target('Inbox', 'view'),
  target('general', 'channel'),
  target('generators', 'topic'),
  target('team general', 'channel'),
  target('Gina Neral', 'person'),
  target('lunch', 'topic', 3),
];

const found = (query: string, recents: readonly string[] = []) =>
  rank(TARGETS, query, recents).map(({ key }) => key);

test('an empty field shows where one was last, then what is unread', () => {
  expect(found('', ['generators', 'Inbox']).slice(0, 3)).toEqual(['generators', 'Inbox', 'lunch']);
});

test('a name that begins as written is before one with such a word, and before scattered letters', () => {
  expect(found('gene')).toEqual(['general', 'generators', 'team general']);
  expect(found('gen')).toEqual(['general', 'generators', 'team general']);
  expect(found('gnrl')).toEqual(['general', 'team general', 'Gina Neral']);
  expect(found('gen', ['generators'])[0]).toBe('generators');
  expect(found('general')[0]).toBe('general');
  expect(found('gene te')).toEqual(['team general']);
  expect(found('nothing like it')).toEqual([]);
});

test('where one has been is noted once, newest first, and only so much of it', () => {
  expect(noted(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(noted(Array.from({ length: 40 }, String), 'x')).toHaveLength(12);
});

test.each([null, '', '[]', '{', 'null', '7', '{"theme":"pink","letterKeys":1,"closed":{}}'])(
  'settings that were kept as %s are the defaults',
  (text) => {
    expect(settingsIn(text)).toEqual(DEFAULTS);
  },
);

test('what is changed is kept, and read again', () => {
  let kept: string | null = null;
  const store = {
    read: () => kept,
    write: (text: string) => {
      kept = text;
    },
  };
  openSettings(store);
  change({ theme: 'dark', letterKeys: false });
  toggle('folder 5');
  expect(isClosed('folder 5')).toBe(true);
  toggle('folder 6');
  toggle('folder 5');
  settings.value = DEFAULTS;
  openSettings(store);
  expect(settings.value).toEqual({
    ...DEFAULTS,
    theme: 'dark',
    letterKeys: false,
    closed: ['folder 6'],
  });
});

test('days are named by how far they are', () => {
  const now = new Date(2026, 5, 17, 0, 30).getTime();
  const at = (...date: [number, number, number, number]) => new Date(...date).getTime();
  expect(day(now, now)).toBe('Today');
  expect(day(at(2026, 5, 16, 23), now)).toBe('Yesterday');
  expect(day(at(2026, 5, 12, 12), now)).toBe(
    new Intl.DateTimeFormat(undefined, { weekday: 'long' }).format(at(2026, 5, 12, 12)),
  );
  expect(day(at(2026, 1, 3, 12), now)).not.toContain('2026');
  expect(day(at(2025, 1, 3, 12), now)).toContain('2025');
  expect(shortTime(at(2026, 5, 16, 23), now)).toBe('Yesterday');
  expect(shortTime(now, now)).toMatch(/30/);
});
